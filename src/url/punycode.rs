//! Labels of host names that are not ASCII, as the domain name system has them.
//!
//! Source: RFC 3492, section 6.3, with the parameters of section 5. Cost: O(n^2) in a label of at most 63 characters.

/// Appends the Punycode of one label. `None`: it is longer than a label can be.
pub(super) fn punycode(label: &str, out: &mut String) -> Option<()> {
    let points: Vec<u32> = label.chars().map(u32::from).collect();
    if points.len() > 63 {
        return None;
    }
    let basic = label.chars().filter(char::is_ascii);
    let length = basic.clone().count() as u32;
    out.extend(basic);
    if length > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias, mut handled) = (128u32, 0u32, 72u32, length);
    while (handled as usize) < points.len() {
        let next = points.iter().copied().filter(|&point| point >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for &point in &points {
            if point < n {
                delta = delta.checked_add(1)?;
            }
            if point == n {
                let mut q = delta;
                let mut k = 36;
                loop {
                    let t = if k <= bias { 1 } else { (k - bias).min(26) };
                    if q < t {
                        break;
                    }
                    out.push(char::from_digit_36(t + (q - t) % (36 - t)));
                    q = (q - t) / (36 - t);
                    k += 36;
                }
                out.push(char::from_digit_36(q));
                bias = adapt(delta, handled + 1, handled == length);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(())
}

fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}

trait Digit36 {
    fn from_digit_36(digit: u32) -> char;
}

impl Digit36 for char {
    /// `a` to `z`, then `0` to `9`.
    fn from_digit_36(digit: u32) -> char {
        b"abcdefghijklmnopqrstuvwxyz0123456789"[(digit % 36) as usize] as char
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_encoded_as_the_standard_shows() {
        // RFC 3492, section 7.1 (B), (L), and a name that everybody knows.
        for (label, expected) in [
            (
                "\u{4ed6}\u{4eec}\u{4e3a}\u{4ec0}\u{4e48}\u{4e0d}\u{8bf4}\u{4e2d}\u{6587}",
                "ihqwcrb4cv8a8dqg056pqjye",
            ),
            ("3\u{5e74}b\u{7d44}\u{91d1}\u{516b}\u{5148}\u{751f}", "3b-ww4c5e180e575a65lsy2b"),
            ("b\u{fc}cher", "bcher-kva"),
        ] {
            let mut out = String::new();
            assert_eq!((punycode(label, &mut out), out.as_str()), (Some(()), expected));
        }
        assert_eq!(punycode(&"\u{fc}".repeat(64), &mut String::new()), None);
    }
}

//! Whether two captures have a digest in common: the one rule for revisits, copies of a record and index lines.

/// Compares the digests of one capture with those of another. `None` where no two are of one algorithm; then the digests
/// say nothing.
pub(crate) fn agree<T: Copy + PartialEq, A: PartialEq>(
    ours: &[Option<T>],
    theirs: &[Option<T>],
    algorithm: impl Fn(T) -> A,
) -> Option<bool> {
    let mut agree = None;
    for one in ours.iter().flatten() {
        for other in theirs.iter().flatten().filter(|other| algorithm(**other) == algorithm(*one)) {
            agree = Some(agree.unwrap_or(false) || one == other);
        }
    }
    agree
}

#[cfg(test)]
mod tests {
    use super::agree;

    #[test]
    fn digests_of_different_algorithms_say_nothing_and_one_in_common_is_enough() {
        let compare = |ours: &[Option<(char, u8)>], theirs: &[Option<(char, u8)>]| {
            let there = agree(ours, theirs, |digest| digest.0);
            assert_eq!(there, agree(theirs, ours, |digest| digest.0));
            there
        };
        assert_eq!(compare(&[Some(('a', 1))], &[None]), None);
        assert_eq!(compare(&[Some(('a', 1))], &[Some(('b', 1))]), None);
        assert_eq!(compare(&[Some(('a', 1))], &[Some(('a', 2)), Some(('b', 1))]), Some(false));
        assert_eq!(compare(&[Some(('a', 1)), Some(('b', 2))], &[Some(('a', 2)), Some(('b', 2))]), Some(true));
    }
}

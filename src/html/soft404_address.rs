//! What an address alone says about an error page: that no site has such a page, or that a redirect gave the page up.

use super::soft404::Soft404;

/// Whether no site has a page at this address: it has characters that only broken links and scripts produce, or its last part
/// is what crawlers ask for to see how a site answers, a name that says so or letters at random.
pub(crate) fn cannot_exist(url: &str) -> bool {
    let path = split(url).map_or("", |(_, path)| path);
    let path = path.split('?').next().unwrap_or("").to_ascii_lowercase();
    let odd = ["%22", "%3c", "%3e", "%7b", "%7d", "%5c", "\"", "<", ">", "{", "}", "\\", "[object"];
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    odd.iter().any(|sign| path.contains(sign)) || is_probe(last.split('.').next().unwrap_or(last))
}

/// Minimum number of letters that are no word of any language if they have few vowels.
const MIN_RANDOM: usize = 16;

fn is_probe(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "doesnotexist",
        "doesntexist",
        "nonexistent",
        "nonexisting",
        "nosuchpage",
        "nosuchfile",
        "shouldnotexist",
        "notexisting",
    ];
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    let vowels = name.bytes().filter(|byte| b"aeiouy".contains(byte)).count();
    let is_random = name.len() >= MIN_RANDOM && name.bytes().all(|byte| byte.is_ascii_lowercase());
    NAMES.iter().any(|probe| plain.contains(probe)) || (is_random && vowels * 4 < name.len())
}

/// Judges a redirect by its ends, both absolute http(s) URLs. Entrances of a site (`/index.html`, `/home`, `/en/`, a query)
/// lead to its root for a good reason; an address with a path of its own does not.
pub(crate) fn by_redirect(from: &str, to: &str) -> Option<Soft404> {
    let (from_host, from_path) = split(from)?;
    let (to_host, to_path) = split(to)?;
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let is_root = to_path.is_empty() || to_path == "/";
    (bare(from_host) == bare(to_host) && is_root && has_own_path(from_path))
        .then_some(Soft404::RedirectToRoot)
}

/// Whether a path names a page below the entrance: two or more segments, or one that is not a common word.
fn has_own_path(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or("");
    let segments: Vec<String> =
        path.split('/').filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect();
    let own: Vec<&String> = segments.iter().filter(|segment| !is_entrance(segment)).collect();
    match own.as_slice() {
        [] => false,
        [one] => one.chars().any(|c| c.is_ascii_digit()) || one.matches(['-', '_']).count() >= 2,
        _ => true,
    }
}

/// `index.html`, `home`, `de`, `en-us` and the like.
pub(crate) fn is_entrance(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or("");
    let is_language = match stem.split(['-', '_']).collect::<Vec<_>>().as_slice() {
        [language] => language.len() == 2 || *language == "www",
        [language, region] => language.len() == 2 && (region.len() == 2 || region.len() == 4),
        _ => false,
    };
    const NAMES: &[&str] = &[
        "index",
        "default",
        "home",
        "homepage",
        "main",
        "start",
        "startseite",
        "welcome",
        "accueil",
        "inicio",
        "web",
        "site",
        "portal",
        "root",
        "login",
        "logout",
        "signin",
        "signup",
        "register",
    ];
    (is_language && stem.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_')))
        || NAMES.contains(&stem)
}

fn split(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.split_once("://")?;
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let path = &rest[at..];
    Some((&rest[..at], &path[..path.find('#').unwrap_or(path.len())]))
}

#[cfg(test)]
mod tests {
    use super::cannot_exist;

    #[test]
    fn only_broken_scripts_and_crawlers_that_test_a_site_ask_for_such_addresses() {
        for path in
            ["%22a%22", "{{item}}", "x/[object%20Object]", "xkqzvwtrpbnmlkjhgf", "a/qwrtzpsdfghklmnbvc.html"]
        {
            assert!(cannot_exist(&format!("http://a.example/{path}")), "{path}");
        }
        for path in ["this-page-does-not-exist", "nonexistent-page.html", "x/no_such_page/"] {
            assert!(cannot_exist(&format!("http://a.example/{path}")), "{path}");
        }
        for path in [
            "",
            "rindfleischetikettierungsueberwachung",
            "pneumonoultramicroscopic",
            "3f2504e04f8911d39a0c0305e82c3301",
            "dQw4w9WgXcQabcdefgh",
            "a?q=%22x%22",
            "strengths",
            "xkqzvw",
        ] {
            assert!(!cannot_exist(&format!("http://a.example/{path}")), "{path}");
        }
    }
}

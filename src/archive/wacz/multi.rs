//! Multi-WACZ: a JSON file that lists packages.
//!
//! Packages must be in or below the folder of the JSON file. A path that is absolute, leads out of that folder (also by a
//! symbolic link), or is a web address is reported and not followed: a list from elsewhere must not choose which files
//! are read, and nothing is ever fetched.

use std::path::{Component, Path, PathBuf};

use super::package::DataPackage;
use crate::problem::{Level, Problem};

/// The packages of a list.
#[derive(Debug, Default)]
pub(crate) struct MultiWacz {
    /// The packages that exist, in order.
    pub files: Vec<PathBuf>,
    /// One for each package that cannot be read.
    pub problems: Vec<Problem>,
}

/// Reads a list of packages in `folder`; `None` if the JSON lists none.
pub(crate) fn multi_wacz(json: &[u8], folder: &Path) -> Option<MultiWacz> {
    let package = DataPackage::parse(json)?;
    let is_wacz = |path: &str| {
        path.split(['?', '#']).next().is_some_and(|path| path.to_ascii_lowercase().ends_with(".wacz"))
    };
    if !package.resources.iter().any(|resource| is_wacz(&resource.path)) {
        return None;
    }
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for resource in &package.resources {
        match locate(&resource.path, folder) {
            Ok(file) => files.push(file),
            Err(reason) => {
                let message = format!("the package {:?} is not read: {reason}", resource.path);
                let problem = Problem::new(Level::Error, "multi-wacz-not-read", message);
                problems.push(
                    problem.with_remedy("put the package next to the list, or name it as another input"),
                );
            }
        }
    }
    Some(MultiWacz { files, problems })
}

fn locate(path: &str, folder: &Path) -> Result<PathBuf, &'static str> {
    if path.contains("://") {
        return Err("it is a web address, and nothing is fetched");
    }
    let relative = Path::new(path);
    let stays = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if path.is_empty() || !stays {
        return Err("its path leads out of the folder of the list");
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = folder.join(relative);
    let (Ok(real), Ok(real_folder)) = (file.canonicalize(), folder.canonicalize()) else {
        return Err("it does not exist");
    };
    if !real.starts_with(&real_folder) {
        return Err("its path leads out of the folder of the list");
    }
    if real.is_file() { Ok(file) } else { Err("it is not a file") }
}

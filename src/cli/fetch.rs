//! The option `--fetch`: a program that gives the bytes of archives that are not on this disk.

use std::sync::Arc;

use clap::Args;

use crate::archive::remote::RangeReader;

/// Where the bytes of an archive come from if it is not at the path that an index names.
#[derive(Debug, Clone, Args)]
pub(super) struct FetchArgs {
    /// Have the program CMD read archives that an index names and that are not on this disk
    ///
    /// CMD is a program and its first arguments, separated by spaces. It is started without a shell as `CMD NAME OFFSET LENGTH`
    /// and writes these bytes of the archive NAME to its standard output, fewer only where the archive ends. NAME is what
    /// the index says, with `#ENTRY` for an archive inside a package; OFFSET then counts inside the entry. Nothing else here
    /// contacts a network.
    #[arg(long, value_name = "CMD", value_parser = RangeReader::parse)]
    fetch: Option<RangeReader>,
}

impl FetchArgs {
    /// The program, if there is one.
    pub(super) fn reader(&self) -> Option<Arc<RangeReader>> {
        self.fetch.clone().map(Arc::new)
    }
}

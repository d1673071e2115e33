//! The truth of a case as tables, and a page that says what it is.

use std::path::Path;
use std::{fs, io};

use super::capture::{Says, Seen};
use super::{Case, HOST, PHRASE};

impl Case {
    /// The name of the host that pages are on, with its scheme.
    fn host(&self) -> String {
        match self.server {
            super::Server::Secure => format!("https://www.{HOST}"),
            _ => format!("http://{HOST}"),
        }
    }

    /// Each change of each page: `page,change_time,event,state,phrase`, as `--history` reads it. The event is M, or D
    /// where the page went, A where it came back.
    pub fn truth_table(&self) -> String {
        let mut text = String::from("page,change_time,event,state,phrase\n");
        let mut add = |path: String, history: &super::History| {
            let mut gone = false;
            for (at, state) in history.changes() {
                let goes = !matches!(state, super::State::Version(_));
                let event = match (gone, goes) {
                    (_, true) => "D",
                    (true, false) => "A",
                    (false, false) => "M",
                };
                gone = goes;
                let phrase = if state.has_phrase() { "yes" } else { "no" };
                text += &format!("{path},{at},{event},{},{phrase}\n", state.word());
            }
        };
        for (page, history) in self.histories.iter().enumerate() {
            add(format!("{}/p{page}", self.host()), history);
        }
        for (page, history) in self.others.iter().flatten().enumerate() {
            add(format!("{}/P{page}", self.host()), history);
        }
        text
    }

    /// Each capture: its page, date, what it showed, and what a sound reader can take from it.
    pub fn capture_table(&self) -> String {
        let mut text = String::from("url,date,request_time,shows,language,says,why\n");
        for seen in &self.seen {
            let says = match seen.says {
                Says::State => "state",
                Says::Nothing => "nothing",
                Says::Doubt => "doubt",
            };
            let (state, language) = (seen.shown.state.word(), seen.shown.language.code());
            let Seen { url, from, asked, why, .. } = seen;
            text += &format!("{url},{from},{asked},{state},{language},{says},\"{why}\"\n");
        }
        text
    }

    /// What the folder holds.
    pub fn read_me(&self) -> String {
        let files: String = self.files.iter().map(|(name, _)| format!("- `{name}`: the archive\n")).collect();
        let contradiction = match self.contradicted.is_empty() {
            true => "",
            false => {
                "\nSomebody altered a record afterwards: files contradict each other, and nothing can be \
                      proven of the pages concerned.\n"
            }
        };
        format!(
            "# An archive whose truth is known (seed {})\n\n\
             Crawler `{}`: {}.\nServer `{}`: {}.\n{contradiction}\n\
             {files}\
             - `truth.csv`: every change of every page. Pages start as version 0. A page with the phrase \"{PHRASE}\" \
             has `yes`; version 0 has it\n\
             - `captures.csv`: every capture, what it shows and what a sound reader can take from it: `state`, \
             `nothing` (it must not get in the way of a proof) or `doubt`, and why\n\n\
             `acuity simulate --write-archive DIR --seed {} --crawler {} --server {}` writes the same bytes again.\n",
            self.seed,
            self.crawler.name(),
            self.crawler.about(),
            self.server.name(),
            self.server.about(),
            self.seed,
            self.crawler.name(),
            self.server.name(),
        )
    }

    /// Writes the archive and its truth into a folder that exists.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes)?;
        }
        fs::write(folder.join("truth.csv"), self.truth_table())?;
        fs::write(folder.join("captures.csv"), self.capture_table())?;
        fs::write(folder.join("README.md"), self.read_me())
    }
}

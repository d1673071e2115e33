//! From what was read to what is written: which URLs, which captures, which records.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use super::choose::{Candidate, Chooser, Overrides, Rule};
use super::coherent::{Together, together};
use super::copy::{Action, Item, Plan};
use super::inventory::{self, Asked};
use super::manifest::{Entry, Modelled, Rebuild, Rejected, SCHEMA, Taken};
use super::mend::Mend;
use super::repositories::{Held, LinkTable, Scope};
use super::seeds::seeds;
use super::source::Opened;
use super::wacz::Indexed;
use super::warcinfo::warcinfo;
use crate::archive::source::{base_name, path_of};
use crate::capture::page::is_html_page;
use crate::capture::table::{Row, Table, TableBuilder};
use crate::capture::{Kind, Observation};
use crate::change::evidence::{Compare, Grade, Judge};
use crate::diff::state::State;
use crate::diff::weights::weights_of;
use crate::digest::BodyDigest;
use crate::error::Error;
use crate::ingest::Reading;
use crate::recovery::policy::{Access, Mask, Policy, Recovery, Repositories, recover};
use crate::time::Instant;
use crate::url::Canon;

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Request {
    pub canon: Canon,
    pub policy: Policy,
    pub rule: Rule,
    pub evidence: Grade,
    pub overrides: Overrides,
    pub scope: Scope,
    /// URLs to start from.
    pub seeds: Vec<String>,
    pub access: Vec<Access>,
    /// The repository of each input.
    pub repository_of: Vec<usize>,
    /// Whether records of each input can be copied.
    pub is_copied: Vec<bool>,
    /// Keys of the original site, if there is one.
    pub original: Option<HashSet<String>>,
    pub output: String,
    pub is_gzip: bool,
}

/// What is written, and what is reported about it.
#[derive(Debug)]
pub(crate) struct Built {
    pub plan: Plan,
    pub rebuild: Rebuild,
    /// A line for each item of the plan that is a capture.
    pub index: Vec<Option<Indexed>>,
    pub newest: Instant,
}

/// Puts the site together.
///
/// # Errors
/// Where files cannot be read, or a capture that was chosen by hand is not there.
pub(crate) fn build(reading: &Reading, request: &Request) -> crate::Result<Built> {
    let mut uncopied = Places::new();
    loop {
        match build_without(&uncopied, reading, request)? {
            Ok(built) => return Ok(built),
            // Another capture may stand in the place of one whose record cannot be found again in damaged bytes.
            Err(found) if found.iter().any(|place| !uncopied.contains(place)) => uncopied.extend(found),
            Err(found) => {
                let (file, offset) = found.into_iter().next().unwrap_or_default();
                let message = format!("its record at byte {offset} cannot be copied");
                return Err(Error::data(message).at_file(path_of(&file).into_owned()));
            }
        }
    }
}

/// Places of records: file and offset.
pub(super) type Places = HashSet<(String, u64)>;

/// Puts the site together without the records at these places; or tells where others are that cannot be copied.
fn build_without(
    uncopied: &Places,
    reading: &Reading,
    request: &Request,
) -> crate::Result<Result<Built, Places>> {
    let lines = (0u32..).zip(&request.is_copied).filter(|(_, is_copied)| !**is_copied);
    let mut builder = TableBuilder::with_lines(lines.map(|(input, _)| input).collect());
    reading.observations.for_each(&mut |observation, input| {
        let mut observation = observation.clone();
        request.canon.key_into(&observation.url, &mut observation.key);
        builder.push(&observation, input);
        Ok(())
    })?;
    let table = builder.finish();
    if let Some(key) = request.overrides.unmet(&table).first() {
        return Err(Error::usage(format!("no repository holds the capture chosen for {key}"))
            .with_remedy("`acuity index` lists captures with their record ids and dates"));
    }
    let lost = lost(&table, reading, &request.is_copied);
    let chooser = Chooser::new(
        &table,
        request.canon,
        request.overrides.clone(),
        (&lost, uncopied),
        &request.repository_of,
        &request.is_copied,
    );
    let links = LinkTable::build(
        reading,
        request.canon,
        &request.scope,
        &request.repository_of,
        &request.is_copied,
        &lost,
        &request.overrides,
        &request.seeds,
    )?;
    let moment = match request.rule {
        Rule::Coherent(at) => {
            let judge = Judge::new(&table, Compare::Bytes, request.evidence);
            let (_, weight) = weights_of(reading, request.canon, &|_, _| true)?;
            let of_key = |key: &str| weight.get(key).copied().unwrap_or(0.0);
            let weights: Vec<f64> = table.pages().iter().map(|page| of_key(table.text(page.key))).collect();
            together(&judge, &table, &weights, at)
        }
        _ => Together::default(),
    };
    let mut held = Held::new(&links, &table, &chooser, request.rule, &moment);
    let seeds = seeds(&mut held);
    let mut named: Vec<u32> = request.overrides.keys().filter_map(|key| links.number(key)).collect();
    named.sort_unstable();
    let mut modelled = Vec::new();
    let mut taken = None;
    for policy in Policy::ALL {
        let mut recovery = recover(policy, &mut held, &request.access, &seeds);
        let found: HashSet<u32> = taken_urls(&recovery).collect();
        let beyond: Vec<u32> = named.iter().copied().filter(|url| !found.contains(url)).collect();
        if !beyond.is_empty() {
            // What the user named is taken even where nothing leads to it, and what it embeds and links to with it.
            let seeds = [&seeds[..], &beyond].concat();
            recovery = recover(policy, &mut held, &request.access, &seeds);
        }
        modelled.push(model(policy, &recovery, &links, request));
        if policy == request.policy {
            taken = Some((recovery, beyond));
        }
    }
    let (recovery, beyond) = taken.ok_or_else(|| io::Error::other("no policy was run"))?;
    let (mut entries, chosen, proven) = entries(&mut held, &recovery, &beyond, request);
    let is_recovered = |entry: &&Entry| entry.taken.as_ref().is_some_and(|taken| !taken.is_stand_in);
    let recovered = entries.iter().filter(is_recovered).count() as u64;
    let (missing, stand_ins) = (recovery.not_recovered(), recovery.stand_ins.len() as u64);
    let newest = chosen.iter().map(|row| table.rows()[*row].time).max().unwrap_or(Instant(0));
    let (mut plan, index, mended) = match plan(&table, &chosen, reading, request.is_gzip)? {
        Ok(planned) => planned,
        Err(places) => return Ok(Err(places)),
    };
    for taken in entries.iter_mut().filter_map(|entry| entry.taken.as_mut()) {
        let place = taken.offset.map(|offset| (taken.file.clone(), offset));
        taken.mended = place.and_then(|place| mended.get(&place)).map(|mend| mend.words().to_owned());
    }
    plan.warcinfo = about(request, &moment, newest, mended.len());
    let rebuild = Rebuild {
        schema: SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        output: request.output.clone(),
        policy: request.policy,
        choice: choice(request.rule).to_owned(),
        at: match request.rule {
            Rule::Closest(at) => Some(at),
            _ => moment.at,
        },
        proven_together: matches!(request.rule, Rule::Coherent(_)).then_some(proven),
        repositories: request.access.iter().map(|access| access.name.clone()).collect(),
        recovered,
        missing,
        stand_ins,
        records: plan.items.len() as u64,
        mended: mended.len() as u64,
        bytes: 0,
        policies: modelled,
        urls: entries,
    };
    Ok(Ok(Built { plan, rebuild, index, newest }))
}

/// The archives of originals that are not there: a table names them, but they are no inputs, and not at their paths.
fn lost(table: &Table, reading: &Reading, is_copied: &[bool]) -> HashSet<String> {
    let inputs = reading.inputs.iter().zip(is_copied).filter(|(_, is_copied)| **is_copied);
    let here: HashSet<&str> = inputs.map(|(input, _)| input.file.as_str()).collect();
    let revisits = table.rows().iter().filter(|row| row.revisit && row.kind != Kind::Index);
    let files: HashSet<&str> = revisits.filter_map(|row| Some(table.original(row)?.0)).collect();
    let is_there = |file: &str| here.contains(file) || Opened::new(file).is_ok();
    files.into_iter().filter(|file| !is_there(file)).map(str::to_owned).collect()
}

fn choice(rule: Rule) -> &'static str {
    match rule {
        Rule::Newest => "newest",
        Rule::Closest(_) => "closest",
        Rule::Coherent(_) => "coherent",
    }
}

fn model(policy: Policy, recovery: &Recovery, links: &LinkTable, request: &Request) -> Modelled {
    let recovered = recovery.recovered.len() as u64;
    let is_added = |url: &u32, original: &HashSet<String>| {
        links.keys.get(*url as usize).is_some_and(|key| !original.contains(key))
    };
    let added = request
        .original
        .as_ref()
        .map(|original| recovery.recovered.iter().filter(|(url, _)| is_added(url, original)).count() as u64);
    Modelled {
        policy,
        recovered,
        missing: recovery.not_recovered(),
        stand_ins: recovery.stand_ins.len() as u64,
        added,
        requests: recovery.total_requests(),
        efficiency: recovery.efficiency(recovered),
        efficiency_without_added: added.and_then(|added| recovery.efficiency(recovered - added)),
        days: recovery.days(),
        by_repository: recovery.requests.clone(),
    }
}

/// The warcinfo record.
fn about(request: &Request, moment: &Together, newest: Instant, mended: usize) -> Vec<u8> {
    let names: Vec<&str> = request.access.iter().map(|access| access.name.as_str()).collect();
    let mut fields = vec![
        (
            "description",
            "a site put together from several repositories; records are copied byte for byte".to_owned(),
        ),
        ("repositories", names.join(", ")),
        ("policy", request.policy.name().to_owned()),
        ("choice", choice(request.rule).to_owned()),
    ];
    match (request.rule, moment.at) {
        (Rule::Closest(at), _) | (Rule::Coherent(_), Some(at)) => fields.push(("moment", at.to_string())),
        _ => {}
    }
    if mended > 0 {
        fields.push(("mended", format!("{mended} with a wrong length or end, written as they can be read")));
    }
    let name = base_name(&request.output);
    warcinfo(name, newest, &fields)
}

/// Says for every URL that was asked for what was taken, why, and what was rejected. Gives the rows that were taken, and how many of the
/// recovered ones are proven online at the moment. `beyond`: URLs that only the user named.
fn entries(
    held: &mut Held<'_>,
    recovery: &Recovery,
    beyond: &[u32],
    request: &Request,
) -> (Vec<Entry>, Vec<usize>, u64) {
    let table = held.table;
    let mut entries: BTreeMap<u32, Entry> = BTreeMap::new();
    let mut chosen = Vec::new();
    let mut proven = 0;
    let name = |repository: usize| {
        request.access.get(repository).map_or_else(String::new, |access| access.name.clone())
    };
    let taken = taken_urls(recovery).map(|url| (url, true));
    for (url, is_taken) in taken.chain(recovery.missing.iter().map(|url| (*url, false))) {
        let best = if is_taken { held.best(url, u64::MAX) } else { None };
        let candidates = held.candidates(url).to_vec();
        let row = best.as_ref().map(|best| &table.rows()[best.row]);
        chosen.extend(best.as_ref().map(|best| best.row));
        let is_proven = |best: &Candidate| !best.is_stand_in() && held.together.rows.contains(&best.row);
        proven += u64::from(best.as_ref().is_some_and(is_proven));
        let might = match &best {
            Some(best) if best.is_stand_in() => listed_only(&candidates),
            Some(_) => 0,
            None => held.listers(url),
        };
        let might_have =
            (0..request.access.len()).filter(|place| might >> place & 1 == 1).map(name).collect();
        let rejected = candidates.iter().filter(|one| best.as_ref().is_none_or(|best| best.row != one.row));
        let rejected = rejected.map(|one| {
            let row = &table.rows()[one.row];
            Rejected {
                repository: name(one.repository),
                file: table.text(row.file).to_owned(),
                offset: row.offset,
                time: row.time,
                why: rejection(one, best.as_ref(), request.rule),
            }
        });
        entries.insert(
            url,
            Entry {
                url: row.map_or_else(|| held_url(held, url), |row| table.text(row.url).to_owned()),
                key: held.links.keys.get(url as usize).cloned().unwrap_or_default(),
                sought: true,
                why: match reason(best.as_ref(), request.rule, held.together, &candidates) {
                    why if best.is_none() => why + followed(held.links_out_of_reach(url)),
                    why if beyond.contains(&url) => {
                        format!("{why}; nothing else that was recovered leads to it")
                    }
                    why => why,
                },
                taken: best.as_ref().map(|best| {
                    let row = &table.rows()[best.row];
                    Taken {
                        repository: name(best.repository),
                        file: table.text(row.file).to_owned(),
                        offset: row.offset,
                        record_id: row.record_id.map(|id| table.text(id).to_owned()),
                        time: row.time,
                        status: row.status,
                        is_stand_in: best.is_stand_in(),
                        indexed: None,
                        mended: None,
                        original: table
                            .original(row)
                            .map(|(file, offset)| format!("{file} at byte {offset}")),
                    }
                }),
                might_have,
                rejected: rejected.collect(),
            },
        );
    }
    (entries.into_values().collect(), chosen, proven)
}

/// URLs of which a capture is taken.
fn taken_urls(recovery: &Recovery) -> impl Iterator<Item = u32> {
    recovery.recovered.iter().map(|(url, _)| *url).chain(recovery.stand_ins.iter().copied())
}

/// The repositories of which only an index lists the page itself.
fn listed_only(candidates: &[Candidate]) -> Mask {
    let listed = candidates.iter().filter(|one| !one.is_copied && one.state <= State::Redirect);
    listed.fold(0, |mask, one| mask | 1 << one.repository)
}

fn held_url(held: &Held<'_>, url: u32) -> String {
    held.links.urls.get(url as usize).cloned().unwrap_or_default()
}

fn reason(best: Option<&Candidate>, rule: Rule, moment: &Together, candidates: &[Candidate]) -> String {
    let Some(best) = best else {
        let last = candidates.last();
        return match last.and_then(|last| last.why.as_deref()) {
            Some(why) => format!("not restored: {why}"),
            None if last.is_some() => "not restored: only an index lists it".to_owned(),
            None => "not restored: no repository knows it".to_owned(),
        };
    };
    let by_rule = match rule {
        _ if best.is_named => "named by the user",
        Rule::Newest => "the newest usable capture",
        Rule::Closest(_) => "the usable capture closest to the date",
        Rule::Coherent(_) if moment.rows.contains(&best.row) => "proven online at the moment",
        Rule::Coherent(_) => "not proven online at the moment; the closest usable capture",
    };
    let is_second = candidates.iter().any(|other| other.is_better_than(best));
    match (&best.state, &best.why) {
        // Only a user takes what is not the best.
        (state, Some(why)) if is_second && (*state != State::Content || best.is_damaged) => {
            format!("{by_rule}, though a better one exists: {why}")
        }
        (State::Content, Some(why)) if best.is_damaged => {
            format!("{by_rule}, and no sound one exists: {why}")
        }
        (State::Content, _) => by_rule.to_owned(),
        (_, Some(why)) if best.is_stand_in() => {
            format!("only an error page, a parked page or a wall; nothing better exists: {why}")
        }
        (_, Some(why)) => format!("{by_rule}; nothing better exists: {why}"),
        _ => by_rule.to_owned(),
    }
}

/// Whether the links of a page that is not restored were followed.
fn followed(links: Option<Vec<u32>>) -> &'static str {
    match links {
        None => "",
        Some(links) if links.is_empty() => "; what it links to is unknown",
        Some(_) => "; what it links to is known from an index or the crawler, and was followed",
    }
}

fn rejection(one: &Candidate, best: Option<&Candidate>, rule: Rule) -> String {
    if !one.is_copied {
        return "its record is not among the inputs, or cannot be copied".to_owned();
    }
    match (&one.why, best) {
        (Some(why), _) if one.state != State::Content || one.is_damaged => why.clone(),
        (_, Some(best)) if one.is_converted && !best.is_converted => {
            "converted from another format".to_owned()
        }
        (_, Some(best)) if best.is_named => "another one was named by the user".to_owned(),
        _ => match rule {
            Rule::Newest => "an older capture, or an equal one of another repository",
            Rule::Closest(_) => "farther from the date",
            Rule::Coherent(_) => "not proven online at the moment, or farther from it",
        }
        .to_owned(),
    }
}

/// A record that is copied.
struct Copied {
    asked: Asked,
    line: Indexed,
    is_original: bool,
}

/// The records of the chosen captures and the originals of revisits, by file. A record that several files hold is copied once.
fn copied(table: &Table, chosen: &[usize], reading: &Reading) -> io::Result<BTreeMap<String, Vec<Copied>>> {
    let mut records: Vec<(String, Copied)> = Vec::new();
    // A record with an id is that record wherever it is; one without, at its place.
    let mut known: HashMap<(String, String, Instant), usize> = HashMap::new();
    let mut add = |file: &str, one: Copied| {
        let asked = &one.asked;
        let id = asked.id.clone().unwrap_or_else(|| format!("{} {file}", asked.offset));
        let place = *known.entry((id, asked.url.clone(), asked.time)).or_insert(records.len());
        match records.get_mut(place) {
            Some((_, known)) => known.is_original |= one.is_original,
            None => records.push((file.to_owned(), one)),
        }
    };
    let mut originals: HashMap<(&str, u64), HashSet<Option<BodyDigest>>> = HashMap::new();
    for row in chosen.iter().map(|row| &table.rows()[*row]) {
        let Some(offset) = row.offset else { continue };
        let id = row.record_id.map(|id| table.text(id).to_owned());
        let asked = Asked { offset, id, url: table.text(row.url).to_owned(), time: row.time };
        add(table.text(row.file), Copied { asked, line: line(table, row), is_original: false });
        if let Some(place) = table.original(row) {
            originals.entry(place).or_default().insert(row.body.and_then(|body| table.body(body)));
        }
    }
    // Originals are looked for in all that was read: the table has a record only once that several files hold.
    let mut found: Vec<Observation> = Vec::new();
    reading.observations.for_each(&mut |observation, _| {
        let is_held = !matches!(observation.kind, Kind::Revisit | Kind::Index);
        let place = observation.offset.filter(|_| is_held).map(|offset| (&*observation.file, offset));
        let bodies = place.and_then(|place| originals.get(&place));
        if bodies.is_some_and(|bodies| bodies.contains(&None) || bodies.contains(&observation.body)) {
            found.push(Observation { links: None, sitemap: None, ..observation.clone() });
        }
        Ok(())
    })?;
    found.sort_by(|a, b| (&a.file, a.offset, &a.record_id).cmp(&(&b.file, b.offset, &b.record_id)));
    for original in found {
        let (Some(offset), Some(time)) = (original.offset, original.time) else { continue };
        let asked = Asked { offset, id: original.record_id.clone(), url: original.url.clone(), time };
        add(&original.file, Copied { asked, line: Indexed::of(&original, time), is_original: true });
    }
    let mut by_file: BTreeMap<String, Vec<Copied>> = BTreeMap::new();
    for (file, one) in records {
        by_file.entry(file).or_default().push(one);
    }
    Ok(by_file)
}

/// Records whose length is wrong or that end early, by file and offset.
type Mended = HashMap<(String, u64), Mend>;

/// What is copied, its lines of an index, and what is mended on the way.
type Planned = (Plan, Vec<Option<Indexed>>, Mended);

/// Finds the records of the chosen captures, the originals of revisits and what belongs to them; or tells which cannot be copied.
fn plan(
    table: &Table,
    chosen: &[usize],
    reading: &Reading,
    is_gzip: bool,
) -> crate::Result<Result<Planned, Places>> {
    let mut uncopied = Places::new();
    let mut plan =
        Plan { files: Vec::new(), names: Vec::new(), warcinfo: Vec::new(), items: Vec::new(), is_gzip };
    let mut mended = Mended::new();
    let mut found: Vec<(bool, Item, Option<Indexed>)> = Vec::new();
    for (name, records) in copied(table, chosen, reading)? {
        let asked: Vec<Asked> = records.iter().map(|record| record.asked.clone()).collect();
        let at = |error: io::Error| Error::from(error).at_file(path_of(&name).into_owned());
        let inventory = inventory::take(Opened::new(&name).map_err(at)?, &asked).map_err(at)?;
        let file = plan.files.len();
        let found_again: HashSet<usize> = inventory.entries.iter().filter_map(|entry| entry.asked).collect();
        let is_lost = |(place, _): &(usize, &Asked)| !found_again.contains(place);
        uncopied
            .extend(asked.iter().enumerate().filter(is_lost).map(|(_, asked)| (name.clone(), asked.offset)));
        for entry in inventory.entries {
            let record = entry.asked.and_then(|place| records.get(place));
            let action = Action::of(entry.is_arc, entry.mend);
            let mend = if is_gzip { entry.mend } else { entry.mend_outside };
            mended.extend(mend.zip(record).map(|(mend, record)| ((name.clone(), record.asked.offset), mend)));
            let item = Item { file, offset: entry.offset, length: entry.length, action };
            let is_original = record.is_some_and(|record| record.is_original);
            found.push((is_original, item, record.map(|record| record.line.clone())));
        }
        plan.files.push(inventory.source);
        plan.names.push(stamp(&name));
    }
    if !uncopied.is_empty() {
        return Ok(Err(uncopied));
    }
    // Originals first; the order of names and offsets is that of the map and the files.
    found.sort_by_key(|(is_original, ..)| !is_original);
    let mut index = Vec::with_capacity(found.len());
    for (_, item, line) in found {
        plan.items.push(item);
        index.push(line);
    }
    Ok(Ok((plan, index, mended)))
}

/// The name of a file with its length and time, which show whether it is the same as in an earlier run.
pub(crate) fn stamp(name: &str) -> String {
    let path = name.split_once('#').map_or(name, |(package, _)| package);
    let found = [name, path].into_iter().find_map(|name| std::fs::metadata(path_of(name)).ok());
    let changed = found.as_ref().and_then(|file| file.modified().ok());
    format!("{name} {:?} {changed:?}", found.map(|file| file.len()))
}

/// The line of a capture in an index; its place is filled in when it is written.
fn line(table: &Table, row: &Row) -> Indexed {
    let url = table.text(row.url).to_owned();
    Indexed {
        key: Canon::Default.key(&url),
        url,
        time: row.time,
        offset: 0,
        length: 0,
        mime: match row.revisit {
            true => Some("warc/revisit".to_owned()),
            false => row.mime.map(|mime| table.text(mime).to_owned()),
        },
        status: row.status,
        digest: row.declared.and_then(|digest| table.digest(digest)).map(|digest| digest.to_string()),
        is_page: is_html_page(table, row),
    }
}

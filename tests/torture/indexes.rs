//! Indexes, and the observations of an earlier run.

use crate::case::cases;
use crate::containers::three;
use crate::support::digests::sha1;
use crate::support::pack::{gzip, members, zstd};
use crate::support::record::{Record, id};

const SHA1: &str = "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A";

fn text(lines: &str) -> Vec<u8> {
    lines.as_bytes().to_vec()
}

const ELEVEN: &str = " CDX N b a m s k r M S V g
example,page)/ 20200203040506 http://page.example/ text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 1043 333 a.warc.gz
example,page)/a 20200203040507 http://page.example/a warc/revisit 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 500 1376 a.warc.gz
example,page)/b 20200203040508 http://page.example/b warc/revisit 304 - - - 400 1876 a.warc.gz
example,page)/c 20200203040509 http://page.example/c text/html 301 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A http://page.example/ - 400 2276 a.warc.gz
";

cases! {
    /// The 11-field CDX, sound: a page, two revisits, a redirect.
    fn cdx_eleven(".cdx") { text(ELEVEN) }

    /// wget's own columns, a record id among them.
    fn cdx_wget(".cdx") {
        text(" CDX a b a m s k r M V g u\nhttp://page.example/ 20200203040506 http://page.example/ text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 333 a.warc.gz <urn:uuid:1>\n")
    }

    /// Nine fields without a header line, as old indexes of ARC files have them.
    fn cdx_nine(".cdx") { text(&format!("example,page)/ 20200203040506 http://page.example/ text/html 200 {SHA1} - 333 a.arc.gz\n")) }

    /// Ten fields without a header line.
    fn cdx_ten(".cdx") { text(&format!("example,page)/ 20200203040506 http://page.example/ text/html 200 {SHA1} - - 333 a.warc.gz\n")) }

    /// The seven fields of a CDX server's answer.
    fn cdx_seven(".cdx") { text(&format!("example,page)/ 20200203040506 http://page.example/ text/html 200 {SHA1} 1043\n")) }

    /// Columns in another order, divided by tabs.
    fn cdx_columns_in_any_order(".cdx") { text(&format!("\tCDX\tg\tV\tk\ts\tm\tb\ta\na.warc.gz\t333\t{SHA1}\t200\ttext/html\t20200203040506\thttp://page.example/x y\n")) }

    /// Malformed lines among sound ones: too few fields, a date that is none, no URL.
    fn cdx_malformed(".cdx") {
        text(&format!(" CDX N b a m s k r M S V g\ntoo few fields\nexample,page)/ 20200203040506 http://page.example/ text/html 200 {SHA1} - - 1043 333 a.warc.gz\n\
            example,page)/ never http://page.example/ text/html 200 {SHA1} - - 1043 333 a.warc.gz\nexample,page)/ 20200203040506 - text/html 200 {SHA1} - - 1043 333 a.warc.gz\n"))
    }

    /// Spaces in a URL of a CDX line.
    fn cdx_space_in_url(".cdx") { text(&format!(" CDX N b a m s k r M S V g\nexample,page)/a%20b 20200203040506 http://page.example/a b text/html 200 {SHA1} - - 1043 333 a.warc.gz\n")) }

    /// A CDX in gzip, without a last newline.
    fn cdx_gzip(".cdx.gz") { gzip(ELEVEN.trim_end().as_bytes()) }

    /// A CDX with 12-digit dates and statuses of `-`.
    fn cdx_unknowns(".cdx") { text(" CDX N b a m s k r M S V g\nexample,page)/ 202002030405 http://page.example/ unk - - - - - - -\n") }

    /// CDXJ of pywb: numbers as strings.
    fn cdxj_pywb(".cdxj") {
        text(&format!("example,page)/ 20200203040506 {{\"url\": \"http://page.example/\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"sha1:{SHA1}\", \"length\": \"1043\", \"offset\": \"333\", \"filename\": \"a.warc.gz\"}}\n\
            example,page)/form?__wb_method=post&q=1 20200203040507 {{\"url\": \"http://page.example/form\", \"mime\": \"text/html\", \"status\": 200, \"digest\": \"{SHA1}\", \"length\": 500, \"offset\": 1376, \"filename\": \"a.warc.gz\", \"method\": \"POST\", \"requestBody\": \"q=1\"}}\n"))
    }

    /// CDXJ of OpenWayback, with `!` headers.
    fn cdxj_openwayback(".cdxj") {
        text(&format!("!OpenWayback-CDXJ 1.0\n(example,page,)/ 2020-02-03T04:05:06Z response {{\"uri\":\"http://page.example/\",\"sha\":\"{SHA1}\",\"mct\":\"text/html\",\"hsc\":200,\"rle\":1043,\"ref\":\"warcfile:a.warc.gz#333\",\"rid\":\"urn:uuid:1\"}}\n"))
    }

    /// Dates that cannot be read are unknown, and said so.
    fn cdx_bad_dates(".cdx") {
        text(&format!(" CDX N b a m s k r M S V g\nexample,page)/ 20201345000000 http://page.example/ text/html 200 {SHA1} - - 1043 333 a.warc.gz\n"))
    }

    /// Damaged JSON in one line of a CDXJ.
    fn cdxj_malformed(".cdxj") {
        text(&format!("example,page)/ 20200203040506 {{\"url\": \"http://page.example/\", \"digest\": \"{SHA1}\"}}\nexample,page)/b 20200203040507 {{\"url\": \"http://page.exam\n\
            example,page)/c 20200203040508 {{\"url\": \"http://page.example/c\", \"digest\": null, \"status\": [1]}}\n"))
    }

    /// A secondary index (ZipNum): it lists blocks of another index and holds no captures.
    fn zipnum(".idx") { text("example,page)/ 20200203040506\tpart-0.cdx.gz\t0\t1043\t1\nexample,page)/z 20200203040506\tpart-0.cdx.gz\t1043\t900\t2\n") }

    /// An index together with its archive: captures are not counted twice; a line for a file that is not there stays.
    fn index_with_archive("") {
        let records = three();
        let offset = members(&records[..1]).len();
        let cdx = format!(" CDX N b a m s k r M S V g\nexample,first)/ 20200203040506 http://first.example/ text/html 200 {} - - 1 {offset} a.warc.gz\n\
            example,gone)/ 20200203040506 http://gone.example/ text/html 200 {SHA1} - - 1 7 gone.warc.gz\n", &sha1(b"<p>first</p>")[5..]);
        vec![("a.warc.gz", members(&records)), ("index.cdx", cdx.into_bytes())]
    }

    /// Observations of an earlier run, with a line that is none.
    fn observations(".jsonl") { text(OBSERVATIONS) }

    /// Observations in gzip.
    fn observations_gzip(".jsonl.gz") { gzip(OBSERVATIONS.as_bytes()) }

    /// Observations in zstd.
    fn observations_zstd(".jsonl.zst") { zstd(OBSERVATIONS.as_bytes(), &[]) }

    /// A revisit in an observations file and its original in a WARC: the union gives what the archives give.
    fn observations_with_archive("") {
        let revisit = format!("{{\"url\":\"http://first.example/\",\"method\":null,\"key\":\"example,first)/\",\"time\":\"2020-03-03T00:00:00Z\",\"time_end\":\"2020-03-03T00:00:01Z\",\"status\":200,\"mime\":\"text/html\",\"kind\":\"revisit\",\
            \"profile\":\"identical-payload-digest\",\"writer\":null,\"declared\":\"{}\",\"payload\":null,\"digest_ok\":null,\"body\":null,\"last_modified\":null,\"etag\":null,\"http_date\":null,\"length\":300,\"truncated\":null,\"file\":\"r.warc.gz\",\"offset\":0,\
            \"record_id\":\"{}\",\"refers_to\":{{\"url\":null,\"time\":null,\"record_id\":\"{}\",\"resolved_by\":null}}}}\n", sha1(b"<p>first</p>"), id(7), id(2));
        vec![("a.warc", three().concat()), ("b.jsonl", revisit.into_bytes())]
    }

    /// A plain text file inside a folder is skipped with a note; one that the user names is an error.
    fn readme_in_folder("") { vec![("README.md", text("# About these files\n")), ("a.warc", Record::page(1, "http://page.example/", "2020-02-03T04:05:06Z", "x").bytes())] }
}

const OBSERVATIONS: &str = "{\"url\":\"http://page.example/\",\"method\":\"GET\",\"key\":\"example,page)/\",\"time\":\"2020-02-03T04:05:06Z\",\"time_end\":\"2020-02-03T04:05:07Z\",\"status\":200,\"mime\":\"text/html\",\"kind\":\"response\",\"profile\":null,\"writer\":\"Wget/1.21\",\
\"declared\":\"sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\",\"payload\":null,\"digest_ok\":null,\"body\":null,\"last_modified\":null,\"etag\":null,\"http_date\":null,\"length\":300,\"truncated\":null,\"file\":\"a.warc.gz\",\"offset\":0,\"record_id\":\"urn:uuid:1\",\"refers_to\":null}
this is no observation
{\"url\":\"http://page.example/b\",\"method\":null,\"key\":\"example,page)/b\",\"time\":null,\"time_end\":null,\"status\":null,\"mime\":null,\"kind\":\"index\",\"profile\":null,\"writer\":null,\
\"declared\":null,\"payload\":null,\"digest_ok\":null,\"body\":null,\"last_modified\":null,\"etag\":null,\"http_date\":null,\"length\":null,\"truncated\":null,\"file\":\"a.cdx\",\"offset\":null,\"record_id\":null,\"refers_to\":null}
";

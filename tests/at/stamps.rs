//! Time stamps and signatures against a local authority that openssl plays: valid, expired, altered.
#![allow(clippy::print_stderr, reason = "a test says what it skipped")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::archive::{AT, archive};
use crate::support::program::run;

/// Runs openssl; `None` where it is not installed.
fn openssl(folder: &Path, arguments: &[&str]) -> Option<Output> {
    match Command::new("openssl").args(arguments).current_dir(folder).output() {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("skipped: openssl is not installed");
            None
        }
    }
}

fn must(folder: &Path, arguments: &[&str]) -> Option<()> {
    let output = openssl(folder, arguments)?;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

const CONFIG: &str = "\
[req]
distinguished_name = dn
prompt = no
[dn]
CN = Test root
[ca]
default_ca = here
[here]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = tsa
[any]
commonName = supplied
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[tsa]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[stamp]
serial = tsa_serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
";

/// A root, and two authorities: one valid, one whose certificate ended in 2021.
fn authority(folder: &Path) -> Option<()> {
    fs::write(folder.join("c.cnf"), CONFIG).unwrap();
    fs::write(folder.join("index.txt"), "").unwrap();
    fs::write(folder.join("index.txt.attr"), "unique_subject = no\n").unwrap();
    fs::write(folder.join("serial"), "1000\n").unwrap();
    fs::write(folder.join("tsa_serial"), "01\n").unwrap();
    for name in ["root", "good", "old"] {
        let key = format!("{name}.key");
        must(folder, &["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", &key])?;
    }
    must(
        folder,
        &[
            "req",
            "-x509",
            "-new",
            "-key",
            "root.key",
            "-config",
            "c.cnf",
            "-extensions",
            "root",
            "-days",
            "3650",
            "-out",
            "root.pem",
        ],
    )?;
    for (name, from, to) in
        [("good", "20200101000000Z", "20491231000000Z"), ("old", "20200101000000Z", "20210101000000Z")]
    {
        let (key, csr, pem) = (format!("{name}.key"), format!("{name}.csr"), format!("{name}.pem"));
        let subject = format!("/CN=Authority {name}");
        must(folder, &["req", "-new", "-key", &key, "-config", "c.cnf", "-subj", &subject, "-out", &csr])?;
        must(
            folder,
            &[
                "ca",
                "-batch",
                "-notext",
                "-config",
                "c.cnf",
                "-cert",
                "root.pem",
                "-keyfile",
                "root.key",
                "-startdate",
                from,
                "-enddate",
                to,
                "-in",
                &csr,
                "-out",
                &pem,
            ],
        )?;
    }
    Some(())
}

fn stamp(folder: &Path, name: &str, request: &str, reply: &str) -> Option<()> {
    let (key, pem) = (format!("{name}.key"), format!("{name}.pem"));
    must(
        folder,
        &[
            "ts",
            "-reply",
            "-config",
            "c.cnf",
            "-section",
            "stamp",
            "-queryfile",
            request,
            "-signer",
            &pem,
            "-inkey",
            &key,
            "-out",
            reply,
        ],
    )
}

fn said(output: &Output) -> String {
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    // As one line: where it is wrapped does not matter.
    text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ")
}

#[test]
fn replies_of_a_local_authority_are_valid_expired_and_altered_as_they_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    archive(folder);
    let made = run(folder, &[AT, &["--json=answer.json", "--html", "answer.html"]].concat());
    assert!(made.status.success(), "{}", said(&made));
    let request = run(folder, &["verify", "answer.json", "a.warc", "-q", "--tsq", "answer.tsq"]);
    assert!(request.status.success(), "{}", said(&request));
    if authority(folder).is_none() {
        return;
    }
    let (Some(()), Some(())) =
        (stamp(folder, "good", "answer.tsq", "good.tsr"), stamp(folder, "old", "answer.tsq", "old.tsr"))
    else {
        return;
    };
    let verify = |report: &str, reply: &str, more: &[&str]| {
        let output = run(folder, &[&["verify", report, "a.warc", "-q", "--tsr", reply], more].concat());
        (output.status.code(), said(&output))
    };
    for report in ["answer.json", "answer.html"] {
        let (code, words) = verify(report, "good.tsr", &["--ca", "root.pem"]);
        assert_eq!(code, Some(0), "{words}");
        assert!(words.contains("TIME STAMP valid") && words.contains("existed no later than"), "{words}");
        assert!(words.contains("Not checked: whether the certificate had been withdrawn"), "{words}");
    }
    let (code, words) = verify("answer.json", "good.tsr", &[]);
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("was not checked"), "{words}");
    let (code, words) = verify("answer.json", "old.tsr", &["--ca", "root.pem"]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("had expired on 2021-01-01"), "{words}");
    let mut reply = fs::read(folder.join("good.tsr")).unwrap();
    let last = reply.len() - 3;
    reply[last] ^= 1;
    fs::write(folder.join("altered.tsr"), &reply).unwrap();
    let (code, words) = verify("answer.json", "altered.tsr", &["--ca", "root.pem"]);
    assert_eq!(code, Some(1), "{words}");
    // The report that was stamped is another one.
    let other = run(folder, &["at", "2024-01-01T10:31:00Z", "a.warc", "-q", "--json=other.json"]);
    assert!(other.status.success(), "{}", said(&other));
    let (code, words) = verify("other.json", "good.tsr", &["--ca", "root.pem"]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("the stamp is of other data"), "{words}");
    // Alone, without inputs.
    let alone = run(folder, &["verify", "answer.json", "--tsr", "good.tsr", "--ca", "root.pem"]);
    assert_eq!(alone.status.code(), Some(0), "{}", said(&alone));
    assert!(said(&alone).contains("Only the time stamp was checked"));
    assert_eq!(run(folder, &["verify", "answer.json"]).status.code(), Some(2));
    // openssl agrees.
    let theirs =
        openssl(folder, &["ts", "-verify", "-data", "answer.json", "-in", "good.tsr", "-CAfile", "root.pem"]);
    assert!(theirs.is_some_and(|output| output.status.success()));
}

#[test]
fn a_certificate_that_may_not_issue_others_completes_no_path() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    archive(folder);
    let made = run(folder, &[AT, &["--json=answer.json"]].concat());
    assert!(made.status.success(), "{}", said(&made));
    let request = run(folder, &["verify", "answer.json", "a.warc", "-q", "--tsq", "answer.tsq"]);
    assert!(request.status.success(), "{}", said(&request));
    if authority(folder).is_none() {
        return;
    }
    let root = ["-config", "c.cnf", "-cert", "root.pem", "-keyfile", "root.key"];
    for (name, usage, code) in
        [("right", "keyCertSign", 0), ("wrong", "digitalSignature", 1), ("silent", "", 0)]
    {
        let usage = if usage.is_empty() { String::new() } else { format!("keyUsage = critical, {usage}\n") };
        let extensions = format!("[between]\nbasicConstraints = critical, CA:true\n{usage}");
        fs::write(folder.join("c.cnf"), format!("{CONFIG}{extensions}")).unwrap();
        let (key, csr, pem) = (format!("{name}.key"), format!("{name}.csr"), format!("{name}.pem"));
        must(folder, &["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", &key]).unwrap();
        let subject = format!("/CN=Between {name}");
        must(folder, &["req", "-new", "-key", &key, "-config", "c.cnf", "-subj", &subject, "-out", &csr])
            .unwrap();
        let dates = ["-startdate", "20200101000000Z", "-enddate", "20491231000000Z"];
        let issue = |issuer: &[&str], extensions: &str, csr: &str, pem: &str| {
            let named = ["-extensions", extensions, "-in", csr, "-out", pem];
            must(folder, &[&["ca", "-batch", "-notext"], issuer, &dates, &named].concat()).unwrap();
        };
        issue(&root, "between", &csr, &pem);
        let below = ["-config", "c.cnf", "-cert", &pem, "-keyfile", &key];
        issue(&below, "tsa", "good.csr", "good.pem");
        stamp(folder, "good", "answer.tsq", "r.tsr").unwrap();
        let checked =
            ["verify", "answer.json", "a.warc", "-q", "--tsr", "r.tsr", "--ca", "root.pem", "--ca", &pem];
        let output = run(folder, &checked);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", said(&output));
        assert_eq!(said(&output).contains("keyCertSign"), code == 1, "{name}: {}", said(&output));
    }
}

#[test]
fn a_signature_over_a_report_is_the_same_every_time_and_openssl_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    archive(folder);
    for curve in ["prime256v1", "secp384r1"] {
        if must(folder, &["ecparam", "-genkey", "-name", curve, "-out", "sec1.pem"]).is_none() {
            return;
        }
        must(folder, &["pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-out", "pkcs8.pem"]).unwrap();
        let mut signatures = Vec::new();
        for key in ["sec1.pem", "pkcs8.pem"] {
            let made = run(folder, &[AT, &["--json=answer.json", "--sign", key]].concat());
            assert!(made.status.success(), "{}", said(&made));
            must(
                folder,
                &[
                    "dgst",
                    "-sha256",
                    "-verify",
                    "answer.json.pub",
                    "-signature",
                    "answer.json.sig",
                    "answer.json",
                ],
            )
            .unwrap();
            signatures.push(fs::read(folder.join("answer.json.sig")).unwrap());
        }
        assert_eq!(signatures[0], signatures[1]);
        must(folder, &["ec", "-in", "sec1.pem", "-pubout", "-out", "pub.pem"]).unwrap();
        assert_eq!(
            fs::read(folder.join("pub.pem")).unwrap(),
            fs::read(folder.join("answer.json.pub")).unwrap()
        );
    }
    let Some(()) = must(folder, &["genrsa", "-out", "rsa.pem", "2048"]) else { return };
    let refused = run(folder, &[AT, &["--json=answer.json", "--sign", "rsa.pem"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("only keys on P-256 and P-384"), "{}", said(&refused));
    let nowhere = run(folder, &[AT, &["--sign", "sec1.pem"]].concat());
    assert_eq!(nowhere.status.code(), Some(2), "{}", said(&nowhere));
}

#[test]
fn four_verdicts_are_told_of_a_package() {
    let data = std::env::var("ACUITY_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let Ok(signed) = fs::canonicalize(Path::new(&data).join("signed")) else {
        eprintln!("skipped: {data}/signed is absent");
        return;
    };
    let verify = |name: &str| {
        let output = run(&signed, &["verify", &format!("wacz/{name}.wacz"), "--ca", "ca/root.pem"]);
        (output.status.code(), said(&output))
    };
    let (code, words) = verify("domain-valid");
    // The stamp states an accuracy of one second.
    assert!(words.contains("2024-03-01T12:00:01Z"), "{words}");
    assert_eq!(code, Some(0), "{words}");
    for verdict in ["CONTENTS agree", "MANIFEST agrees", "SIGNATURE valid", "IDENTITY signed by"] {
        assert!(words.contains(verdict), "{verdict}: {words}");
    }
    for (name, expected, words) in [
        ("anon-valid", 3, "anonymous"),
        ("unsigned", 3, "not signed"),
        ("anon-altered-manifest", 1, "over another manifest"),
        ("anon-altered-file", 1, "pages/pages.jsonl differs"),
        ("domain-wrong-key", 1, "does not hold"),
        ("domain-tsa-expired-before", 1, "time not shown"),
    ] {
        let (code, found) = verify(name);
        assert_eq!(code, Some(expected), "{name}: {found}");
        assert!(found.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{name}: {found}");
    }
}

"""`acuity-spark index|audit|report --input LIST --output DIR`."""

import argparse
import os
import sys

from . import audit, index, report, views
from .program import DONE, INTERNAL, USAGE, Program


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="acuity-spark",
        description="Audits web archives that are larger than one machine, with the figures of one machine.",
        epilog="Exit codes: 0 done; 1 a bar that was asked for is not met; 2 usage; 3 some input could not be read, the rest was done.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    helps = {
        "index": "archives to tables; what the manifest has is not read again",
        "audit": "tables to audits of the sites, part by part",
        "report": "audits of parts to one report: audit/report.json and audit/report.html",
        "run": "index, audit and report",
        "views": "the tables under the names that Archives Unleashed users know: webpages, webgraph, imagegraph, and a CDXJ",
    }
    for name, text in helps.items():
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--output", required=True, metavar="DIR", help="the collection: a folder that all machines see")
        command.add_argument("--binary", default="acuity", metavar="PATH", help="the program; also one that was sent with --files")
        if name in ("index", "run"):
            command.add_argument("--input", required=True, metavar="LIST", help="a file with one path or URL a line")
        if name in ("audit", "run"):
            command.add_argument("--parts", type=int, metavar="N", help="parts to divide the sites into")
            command.add_argument(
                "--site-limit",
                type=int,
                default=audit.MAX_ROWS,
                metavar="N",
                help="sites with more captures are audited in two levels (default: %(default)s, for executors of 4 GB)",
            )
            command.add_argument("--crawls", choices=["auto"], help="divide the captures into crawls")
            command.add_argument(
                "--option",
                action="append",
                default=[],
                metavar="WORD",
                help="an option for `acuity audit`, word by word: --option=--compare --option=text",
            )
        if name in ("report", "run"):
            command.add_argument("--fail-under", metavar="LIMITS", help="as `acuity report --fail-under`")
    return parser.parse_args(words)


def session(name):
    # Workers take this from the environment alone.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(f"acuity {name}")
    for key, value in {
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5000",
        "spark.sql.parquet.enableVectorizedReader": "true",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def main(words=None):
    try:
        args = arguments(words)
    except SystemExit as end:
        return end.code
    program = Program(args.binary)
    try:
        return perform(args, program)
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        print(f"acuity-spark: {error}", file=sys.stderr)
        return USAGE
    except Exception as error:
        print(f"acuity-spark: {type(error).__name__}: {error}", file=sys.stderr)
        return INTERNAL


def perform(args, program):
    worst = DONE
    if args.command in ("index", "run"):
        names = index.read_list(args.input)
        if not names:
            print("acuity-spark: the list names no archive", file=sys.stderr)
            return USAGE
        worst = max(worst, index.run(session("index"), program, names, args.output))
    if args.command in ("audit", "run"):
        if (args.parts is not None and args.parts < 1) or args.site_limit < 1:
            print("acuity-spark: --parts and --site-limit take 1 and more", file=sys.stderr)
            return USAGE
        if any(word.split("=")[0] == "--site" for word in args.option):
            remedy = f"acuity audit {args.output}/observations/*.parquet --site SITE"
            print(f"acuity-spark: the job audits all sites; one of them is audited by: {remedy}", file=sys.stderr)
            return USAGE
        code = audit.run(session("audit"), program, args.output, args.option, args.parts, args.crawls == "auto", args.site_limit)
        if code == USAGE:
            print(f"acuity-spark: {args.output} has no tables of observations: run `acuity-spark index` first", file=sys.stderr)
            return USAGE
        worst = max(worst, code)
    if args.command == "views":
        return views.run(session("views"), program, args.output)
    if args.command in ("report", "run"):
        options = ["--fail-under", args.fail_under] if args.fail_under else []
        code, said = report.run(program, args.output, options)
        print(said.strip(), file=sys.stderr) if said.strip() else None
        worst = code if code in (1, 2) else max(worst, code)
    return worst


def entry():
    """The whole process: executors receive a signal to end, and do not find out by themselves."""
    code = main()
    if "pyspark" in sys.modules:
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        if active is not None:
            active.stop()
    return code


if __name__ == "__main__":
    sys.exit(entry())

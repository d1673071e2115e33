use super::*;

#[test]
fn every_published_table_can_be_read() {
    let Published { papers, table } = published().unwrap();
    for table in table {
        assert!(papers.contains_key(&table.paper), "{}", table.id);
        for cells in &table.row {
            let names = if cells.strategies.is_empty() { &table.strategies } else { &cells.strategies };
            assert!(cells.cells.len() <= names.len() && cells.expected.len() <= names.len(), "{}", table.id);
            for name in names {
                Spec::parse(name, &Settings::default()).unwrap();
            }
        }
    }
}

//! Writes a table of cells as one Parquet file: zstd, row groups of 100,000 rows, every column optional.

use std::borrow::Cow;
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel,
};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

/// Rows of a row group: large enough to compress well, small enough to read in parts.
const GROUP_ROWS: usize = 100_000;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// UTF-8 text.
    Text,
    /// A 16-bit number.
    Short,
    /// A 32-bit number.
    Int,
    /// A 64-bit number.
    Number,
    /// Microseconds since 1970, UTC.
    Time,
    /// True or false.
    Flag,
    /// 32 bytes: a BLAKE3 hash.
    Hash,
}

/// A value, or `Null` where it is unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    /// Unknown.
    Null,
    /// See [`CellKind::Text`].
    Text(Cow<'a, str>),
    /// A number of any width, or a time in microseconds.
    Number(i64),
    /// See [`CellKind::Flag`].
    Flag(bool),
    /// See [`CellKind::Hash`].
    Hash([u8; 32]),
}

impl<'a> Cell<'a> {
    /// Text, or `Null`.
    pub(crate) fn text(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        text.map_or(Cell::Null, |text| Cell::Text(text.into()))
    }

    /// A number, or `Null`. Offsets beyond 2^63 do not exist.
    pub(crate) fn number(number: Option<u64>) -> Self {
        number.and_then(|number| i64::try_from(number).ok()).map_or(Cell::Null, Cell::Number)
    }
}

/// The name of a column and what it holds.
pub(crate) type NamedKind = (String, CellKind);

/// The values of one column in the current row group.
enum Values {
    Text(Vec<ByteArray>),
    Int(Vec<i32>),
    Number(Vec<i64>),
    Flag(Vec<bool>),
    Hash(Vec<FixedLenByteArray>),
}

struct Column {
    values: Values,
    /// 1 where a row has a value, 0 where it has none.
    levels: Vec<i16>,
}

/// A Parquet file that is made in memory: callers bound the rows of one file.
pub(crate) struct TableWriter {
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Column>,
    rows: usize,
}

impl TableWriter {
    /// A table with these columns. `sorted_by` are the places of the columns by which the caller sorts the rows.
    pub(crate) fn new(schema: &str, columns: &[NamedKind], sorted_by: &[i32]) -> Result<Self> {
        Self::with_note(schema, columns, sorted_by, None)
    }

    /// As [`Self::new`]; the file keeps a note under a name.
    pub(crate) fn with_note(
        schema: &str,
        columns: &[NamedKind],
        sorted_by: &[i32],
        note: Option<(&str, String)>,
    ) -> Result<Self> {
        let fields = columns.iter().map(|(name, kind)| field(name, *kind)).collect::<Result<_>>()?;
        let root = Type::group_type_builder("schema").with_fields(fields).build()?;
        let sorting = sorted_by
            .iter()
            .map(|place| SortingColumn { column_idx: *place, descending: false, nulls_first: true })
            .collect();
        let mut notes = vec![KeyValue::new("schema".to_owned(), schema.to_owned())];
        notes.extend(note.map(|(name, text)| KeyValue::new(name.to_owned(), text)));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(format!("acuity version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(notes))
            .set_sorting_columns(Some(sorting))
            .build();
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(root), Arc::new(properties))?;
        let columns = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(TableWriter { writer, columns, rows: 0 })
    }

    /// Adds a row: one cell a column, in their order.
    pub(crate) fn push<'a>(&mut self, row: impl IntoIterator<Item = Cell<'a>>) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    /// The bytes of the complete file.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>> {
        if self.rows > 0 {
            self.end_group()?;
        }
        self.writer.into_inner()
    }

    fn end_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            column.write(&mut group)?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl Column {
    fn new(kind: CellKind) -> Self {
        let values = match kind {
            CellKind::Text => Values::Text(Vec::new()),
            CellKind::Short | CellKind::Int => Values::Int(Vec::new()),
            CellKind::Number | CellKind::Time => Values::Number(Vec::new()),
            CellKind::Flag => Values::Flag(Vec::new()),
            CellKind::Hash => Values::Hash(Vec::new()),
        };
        Column { values, levels: Vec::new() }
    }

    /// A cell of another kind than the column's is unknown.
    fn push(&mut self, cell: Cell<'_>) {
        let is_known = match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                values.push(ByteArray::from(text.into_owned().into_bytes()));
                true
            }
            (Values::Int(values), Cell::Number(number)) => match i32::try_from(number) {
                Ok(number) => {
                    values.push(number);
                    true
                }
                Err(_) => false,
            },
            (Values::Number(values), Cell::Number(number)) => {
                values.push(number);
                true
            }
            (Values::Flag(values), Cell::Flag(flag)) => {
                values.push(flag);
                true
            }
            (Values::Hash(values), Cell::Hash(hash)) => {
                values.push(ByteArray::from(hash.to_vec()).into());
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_known));
    }

    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<()> {
        let Some(mut writer) = group.next_column()? else { return Ok(()) };
        let levels = Some(&self.levels[..]);
        match &mut self.values {
            Values::Text(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Int(values) => {
                writer.typed::<Int32Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Number(values) => {
                writer.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Flag(values) => {
                writer.typed::<BoolType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Hash(values) => {
                writer.typed::<FixedLenByteArrayType>().write_batch(values, levels, None)?;
                values.clear();
            }
        }
        self.levels.clear();
        writer.close()
    }
}

fn field(name: &str, kind: CellKind) -> Result<TypePtr> {
    let (physical, converted, logical) = match kind {
        CellKind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Some(LogicalType::String)),
        CellKind::Short => (Physical::INT32, ConvertedType::INT_16, Some(LogicalType::integer(16, true))),
        CellKind::Int => (Physical::INT32, ConvertedType::NONE, None),
        CellKind::Number => (Physical::INT64, ConvertedType::NONE, None),
        CellKind::Time => {
            let micros = LogicalType::timestamp(true, TimeUnit::MICROS);
            (Physical::INT64, ConvertedType::TIMESTAMP_MICROS, Some(micros))
        }
        CellKind::Flag => (Physical::BOOLEAN, ConvertedType::NONE, None),
        CellKind::Hash => (Physical::FIXED_LEN_BYTE_ARRAY, ConvertedType::NONE, None),
    };
    let builder = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(converted)
        .with_logical_type(logical);
    let builder = if kind == CellKind::Hash { builder.with_length(32) } else { builder };
    Ok(Arc::new(builder.build()?))
}

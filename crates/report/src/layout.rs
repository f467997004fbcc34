// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Fits a table into a number of columns of fixed-width text: wraps words, then splits the table into parts that each
//! repeat the key columns, then makes a list of it. No line is ever wider than asked for, and a name is broken only if a line
//! cannot hold it.

use crate::table::{Cell, Kind, Table, Tone};
use crate::text::{break_word, longest_word, width, wrap};

/// Blanks between columns.
const GAP: usize = 2;
/// A column of words is not wrapped to less than this while something else can be done.
const TEXT_MIN: usize = 14;

/// One line of a laid out table: cells, padded, with their tone; a line ends without blanks.
pub(crate) type Line = Vec<(String, Tone)>;

/// A part of a table that fits.
pub(crate) struct Part {
    /// Lines of the head, without the rule below it.
    pub head: Vec<Line>,
    /// The rule, dashes under every column.
    pub rule: String,
    /// Lines of the body.
    pub body: Vec<Line>,
}

struct Layout<'a> {
    table: &'a Table,
    /// Per column: what its cells take beside their value for footnote marks.
    marks: Vec<usize>,
}

/// Lays a table out in parts of at most `limit` columns of text.
pub(crate) fn fit(table: &Table, limit: usize) -> Vec<Part> {
    let count = table.heads.len();
    let marks =
        (0..count).map(|column| table.rows.iter().map(|row| row[column].marks().len()).max().unwrap_or(0));
    let layout = Layout { table, marks: marks.collect() };
    let all: Vec<usize> = (0..count).collect();
    if let Some(widths) = layout.widths(&all, limit) {
        return vec![layout.part(&all, &widths)];
    }
    let keys = table.keys_count();
    let mut parts = Vec::new();
    let mut shown: Vec<usize> = (0..keys).collect();
    for column in keys..count {
        let mut with_next = shown.clone();
        with_next.push(column);
        if shown.len() > keys && layout.widths(&with_next, limit).is_none() {
            parts.push(layout.part_if_it_fits(&shown, limit));
            shown.truncate(keys);
        }
        shown.push(column);
    }
    parts.push(layout.part_if_it_fits(&shown, limit));
    let all_fit: Option<Vec<Part>> = parts.into_iter().collect();
    all_fit.unwrap_or_else(|| vec![layout.listed(keys, limit)])
}

impl Layout<'_> {
    /// What a column takes when no cell is wrapped, with its heading in this many lines at most, or as many as it has words.
    fn natural(&self, column: usize, head_lines_max: usize) -> usize {
        let head = &self.table.heads[column];
        let values = self.table.rows.iter().map(|row| width(row[column].value()));
        let body = values.max().unwrap_or(0) + self.marks[column];
        let smallest = body.max(longest_word(&head.heading)).max(longest_word(&head.qualifier())).max(1);
        let mut natural = smallest;
        while wrap(&head.heading, natural).len() > head_lines_max {
            natural += 1;
        }
        natural
    }

    /// The widths at which these columns fit into the limit, with columns of words narrowed if necessary.
    fn widths(&self, columns: &[usize], limit: usize) -> Option<Vec<usize>> {
        let gaps = GAP * columns.len().saturating_sub(1);
        let with_heads = |lines_max: usize| -> Vec<usize> {
            columns.iter().map(|&column| self.natural(column, lines_max)).collect()
        };
        let mut widths = with_heads(2);
        if widths.iter().sum::<usize>() + gaps > limit {
            widths = with_heads(usize::MAX);
        }
        loop {
            let total = widths.iter().sum::<usize>() + gaps;
            if total <= limit {
                return Some(widths);
            }
            let least = |position: usize| self.narrowest(columns[position], limit);
            let narrowable = |&position: &usize| {
                self.table.heads[columns[position]].kind == Kind::Text && widths[position] > least(position)
            };
            let widest = (0..columns.len()).filter(narrowable).max_by_key(|&position| widths[position])?;
            widths[widest] = least(widest).max(widths[widest].saturating_sub(total - limit));
        }
    }

    /// The least width of a column of words without a broken word; a word of more than half a line is broken.
    fn narrowest(&self, column: usize, limit: usize) -> usize {
        let words = self.table.rows.iter().map(|row| longest_word(row[column].value())).max().unwrap_or(0);
        let marked = words + self.marks[column];
        if marked > limit / 2 {
            TEXT_MIN
        } else {
            marked.max(TEXT_MIN)
        }
    }

    fn part_if_it_fits(&self, columns: &[usize], limit: usize) -> Option<Part> {
        self.widths(columns, limit).map(|widths| self.part(columns, &widths))
    }

    /// For tables in which not even one column fits beside the keys: the keys of each row, and below them a line for each figure.
    fn listed(&self, keys: usize, limit: usize) -> Part {
        let mut body: Vec<Line> = Vec::new();
        let mut add = |text: String, indent: usize, tone: Tone| {
            for (index, piece) in wrap(&text, limit.saturating_sub(2 * GAP).max(2)).into_iter().enumerate() {
                let blanks = " ".repeat(if index == 0 { indent } else { 2 * GAP });
                body.push(vec![(format!("{blanks}{piece}"), tone)]);
            }
        };
        for row in &self.table.rows {
            let told = |column: usize| format!("{} {}", row[column].value(), row[column].marks());
            let names: Vec<String> = (0..keys).map(told).collect();
            let names: Vec<&str> =
                names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
            add(names.join(", "), 0, Tone::Plain);
            for (column, head) in self.table.heads.iter().enumerate().skip(keys) {
                if !row[column].value().is_empty() {
                    let heading = format!("{} {}", head.heading, head.qualifier());
                    add(format!("{}: {}", heading.trim(), told(column).trim()), GAP, row[column].tone);
                }
            }
        }
        Part { head: Vec::new(), rule: String::new(), body }
    }

    fn part(&self, columns: &[usize], widths: &[usize]) -> Part {
        let heads =
            columns.iter().zip(widths).map(|(&column, &limit)| self.head_lines(column, limit)).collect();
        let mut body = Vec::new();
        for row in &self.table.rows {
            let cells = columns
                .iter()
                .zip(widths)
                .map(|(&column, &limit)| self.cell_lines(column, limit, &row[column]));
            body.extend(self.join(columns, widths, cells.collect(), false));
        }
        Part {
            head: self.join(columns, widths, heads, true),
            rule: widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>().join(&" ".repeat(GAP)),
            body,
        }
    }

    /// Heading, then kind and unit. A head stands on the rule: shorter ones are pushed down by [`Layout::join`].
    fn head_lines(&self, column: usize, limit: usize) -> Vec<(String, Tone)> {
        let head = &self.table.heads[column];
        let mut lines = wrap(&head.heading, limit);
        if !head.qualifier().is_empty() {
            lines.extend(wrap(&head.qualifier(), limit));
        }
        lines.into_iter().map(|line| (line, Tone::Plain)).collect()
    }

    fn cell_lines(&self, column: usize, limit: usize, cell: &Cell) -> Vec<(String, Tone)> {
        let marks = cell.marks();
        // Marks stand in a column of their own, so that the figures above each other stay aligned.
        let marks = format!("{marks}{}", " ".repeat(self.marks[column].saturating_sub(marks.len())));
        let value = cell.value();
        if width(value) + width(&marks) <= limit {
            return vec![(format!("{value}{marks}"), cell.tone)];
        }
        wrap(&format!("{value} {}", marks.trim()), limit).into_iter().map(|line| (line, cell.tone)).collect()
    }

    /// Puts cells of several lines side by side.
    fn join(
        &self,
        columns: &[usize],
        widths: &[usize],
        mut cells: Vec<Vec<(String, Tone)>>,
        to_bottom: bool,
    ) -> Vec<Line> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for cell in &mut cells {
            let missing = height - cell.len();
            let position = if to_bottom { 0 } else { cell.len() };
            cell.splice(position..position, std::iter::repeat_n((String::new(), Tone::Plain), missing));
        }
        let line = |row: usize| {
            let mut line: Line = Vec::new();
            for (position, cell) in cells.iter().enumerate() {
                let (text, tone) = &cell[row];
                let blanks = " ".repeat(widths[position].saturating_sub(width(text)));
                let left = self.table.heads[columns[position]].kind == Kind::Text;
                let padded = if left { format!("{text}{blanks}") } else { format!("{blanks}{text}") };
                if position > 0 {
                    line.push((" ".repeat(GAP), Tone::Plain));
                }
                line.push((padded, *tone));
            }
            trim_end(line)
        };
        (0..height).map(line).collect()
    }
}

fn trim_end(mut line: Line) -> Line {
    while let Some((text, _)) = line.last_mut() {
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            break;
        }
        line.pop();
    }
    line
}

/// Cuts a line that is still too wide, which takes more key columns than a line has room for.
pub(crate) fn hard_limit(text: &str, limit: usize) -> Vec<String> {
    break_word(text, limit)
}

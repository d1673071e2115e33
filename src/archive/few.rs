//! A list that mostly holds none or one.

/// A list whose first element needs no memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Few<T> {
    first: Option<T>,
    others: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Few { first: None, others: Vec::new() }
    }
}

impl<T> Few<T> {
    /// Adds one at the end.
    pub fn push(&mut self, one: T) {
        match self.first {
            None => self.first = Some(one),
            Some(_) => self.others.push(one),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.others)
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        more.into_iter().for_each(|one| self.push(one));
    }
}

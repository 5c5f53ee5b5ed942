//! Where in a file the errors lie, as a strip of cells.

use utf8kit::summary::Histogram;

/// Counts the errors in each of at most `cells` parts of a file of `size` bytes, which are equally long except for
/// rounding.
pub(crate) fn cells(histogram: &Histogram, size: u64, cells: usize) -> Vec<u64> {
    let cells = usize::try_from(size).unwrap_or(cells).min(cells);
    let mut counts = vec![0; cells];
    for (bin, &count) in histogram.bins().iter().enumerate().filter(|&(_, &count)| count > 0) {
        let start = u128::from(bin as u64 * histogram.bin_width());
        let cell = start * cells as u128 / u128::from(size.max(1));
        if let Some(sum) = counts.get_mut((cell as usize).min(cells.saturating_sub(1))) {
            *sum += count;
        }
    }
    counts
}

/// Returns the bytes that a cell covers: the start, and the end (exclusive).
pub(crate) fn cell_range(cell: usize, cells: usize, size: u64) -> (u64, u64) {
    let at = |cell: usize| (u128::from(size) * cell as u128).div_ceil(cells.max(1) as u128) as u64;
    (at(cell), at(cell + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_in_the_cell_of_its_bytes() {
        for (size, places) in [(10, vec![0, 3, 9]), (100, vec![0, 50, 99]), (5000, vec![0, 2500, 4999])] {
            let mut histogram = Histogram::new();
            places.iter().for_each(|&place| histogram.add(place));
            let counts = cells(&histogram, size, 16);
            assert_eq!(counts.iter().sum::<u64>(), places.len() as u64);
            for place in places {
                let holds = |cell| {
                    let (from, to) = cell_range(cell, counts.len(), size);
                    from <= place && place < to
                };
                let cell = (0..counts.len()).find(|&cell| holds(cell)).expect("a cell");
                assert!(counts[cell] > 0, "{place} of {size}");
            }
        }
        assert!(cells(&Histogram::new(), 0, 16).is_empty());
    }
}

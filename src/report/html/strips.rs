//! One page on the axis of time, as the papers draw it: a line from the first capture to the last, a bar where a version is
//! proven, fainter the weaker the evidence, a hatched stretch in which each change happened, a dot for a single capture.

use super::axis::Axis;
use super::markup::Html;
use crate::audit::model::PageAudit;
use crate::change::run::PageState;

/// How many bars or stretches of a page are drawn.
const MAX_MARKS: usize = 200;

/// Writes the strip of a page.
pub(super) fn write(html: &mut Html, axis: &Axis, page: &PageAudit) {
    let state = page.state.name();
    html.raw("<svg class=\"strip\" width=\"100%\" height=\"16\" role=\"img\" aria-label=\"")
        .value(&page.reason)
        .raw("\">");
    let (first, last) = (axis.place(page.first_look), axis.place(page.last_look));
    html.raw("<line class=\"life ")
        .raw(state)
        .raw("\" y1=\"8\" y2=\"8\" x1=\"")
        .coordinate(first)
        .raw("%\" x2=\"");
    html.coordinate(last).raw("%\"/>");
    let grade = page.grade.map_or("", |grade| grade.name());
    for window in page.proven.iter().take(MAX_MARKS) {
        let (from, to) = (axis.place(window.from), axis.place(window.to));
        html.raw("<rect class=\"proven ")
            .raw(grade)
            .raw(" ")
            .raw(state)
            .raw("\" y=\"4\" height=\"8\" rx=\"1.5\" x=\"")
            .coordinate(from);
        html.raw("%\" width=\"").coordinate((to - from).max(0.2)).raw("%\"/>");
    }
    for change in page.change_importance.iter().flatten().take(MAX_MARKS) {
        let (from, to) = (axis.place(change.from), axis.place(change.to));
        html.raw("<line class=\"interval\" y1=\"8\" y2=\"8\" x1=\"").coordinate(from).raw("%\" x2=\"");
        html.coordinate(to.max(from + 0.3))
            .raw("%\"><title>changed at some moment in between</title></line>");
    }
    if page.state == PageState::Single || page.first_look == page.last_look {
        html.raw("<circle class=\"look ")
            .raw(state)
            .raw("\" cy=\"8\" r=\"3.5\" cx=\"")
            .coordinate(first)
            .raw("%\"/>");
    } else {
        for place in [first, last] {
            html.raw("<circle class=\"look ")
                .raw(state)
                .raw("\" cy=\"8\" r=\"2.5\" cx=\"")
                .coordinate(place)
                .raw("%\"/>");
        }
    }
    html.raw("</svg>");
}

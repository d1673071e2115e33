//! The reconstruction diagram as SVG: core, crust and the wedge that is not there.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{share, words};
use crate::diff::model::Diff;
use crate::recovery::diagram::{Diagram, Sector};
use crate::recovery::vector::Class;

/// The outer radius in units of the drawing.
const RADIUS: f64 = 90.0;

/// The fill of a class. They differ in lightness, so that they stay apart without colour.
fn fill(class: Class) -> &'static str {
    match class {
        Class::Identical => "#c9c9c9",
        Class::Changed => "#5f5f5f",
        Class::Unknown => "url(#unknown)",
        Class::Missing | Class::Unsought => "#ffffff",
        Class::Added => "#111111",
    }
}

/// What was never requested has a dashed edge.
fn dash(class: Class) -> &'static str {
    if class == Class::Unsought { " stroke-dasharray=\"3 2\"" } else { "" }
}

/// The shapes of a diagram around (0, 0): paths with their classes. All numbers, so nothing needs escaping.
pub(crate) fn shapes(diagram: &Diagram) -> Vec<(Class, String)> {
    let core = RADIUS * diagram.core;
    let mut shapes = Vec::new();
    if diagram.core < 1.0 {
        let ring = |radius: f64| {
            format!(
                "M 0 {0:.3} A {1:.3} {1:.3} 0 1 1 0 {1:.3} A {1:.3} {1:.3} 0 1 1 0 {0:.3} Z",
                -radius, radius
            )
        };
        // The inner circle is a hole by the even-odd rule.
        shapes.push((Class::Added, format!("{} {}", ring(RADIUS), ring(core))));
    }
    for sector in &diagram.sectors {
        shapes.push((sector.class, wedge(sector, core)));
    }
    shapes
}

fn wedge(sector: &Sector, radius: f64) -> String {
    if sector.to - sector.from > std::f64::consts::TAU - 1e-9 {
        return format!(
            "M 0 {0:.3} A {1:.3} {1:.3} 0 1 1 0 {1:.3} A {1:.3} {1:.3} 0 1 1 0 {0:.3} Z",
            -radius, radius
        );
    }
    let at = |angle: f64| (radius * angle.sin(), -radius * angle.cos());
    let ((x1, y1), (x2, y2)) = (at(sector.from), at(sector.to));
    let large = u8::from(sector.to - sector.from > std::f64::consts::PI);
    format!("M 0 0 L {x1:.3} {y1:.3} A {radius:.3} {radius:.3} 0 {large} 1 {x2:.3} {y2:.3} Z")
}

/// Writes the drawing with its legend.
pub(crate) fn write(out: &mut dyn Write, diff: &Diff) -> io::Result<()> {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 430 220\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><pattern id=\"unknown\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <rect width=\"6\" height=\"6\" fill=\"#e8e8e8\"/><rect width=\"3\" height=\"6\" fill=\"#8f8f8f\"/></pattern></defs>\n\
         <rect width=\"430\" height=\"220\" fill=\"#ffffff\"/>\n<g transform=\"translate(110 110)\" fill-rule=\"evenodd\" stroke=\"#333333\" stroke-width=\"0.8\">\n",
    );
    // Writing to a string cannot fail.
    for (class, path) in shapes(&diff.diagram) {
        let dash = dash(class);
        let _ =
            writeln!(svg, "<path class=\"{}\" d=\"{path}\" fill=\"{}\"{dash}/>", class.name(), fill(class));
    }
    svg.push_str("</g>\n");
    let present: Vec<Class> = Class::ALL.into_iter().filter(|class| diff.counts.of(*class) > 0).collect();
    for (place, class) in present.iter().enumerate() {
        let y = 40 + 22 * place;
        let _ = writeln!(
            svg,
            "<rect x=\"225\" y=\"{y}\" width=\"13\" height=\"13\" fill=\"{}\" stroke=\"#333333\" stroke-width=\"0.8\"{}/><text x=\"246\" y=\"{}\">{} {}</text>",
            fill(*class),
            dash(*class),
            y + 11,
            words(*class),
            diff.counts.of(*class)
        );
    }
    let vector = &diff.vector;
    let _ = writeln!(
        svg,
        "<text x=\"225\" y=\"195\">({}, {}, {})</text>\n</svg>",
        share(vector.changed),
        share(vector.missing),
        share(vector.added)
    );
    out.write_all(svg.as_bytes())
}

// The table's own box: start, undo and confirm on top, the status light and the buzzer's grille, a cable gland.
// Print "box" standing on its top, "lid" as it lies.

part = "box";           // "box" or "lid"

button_hole = 16;       // diameter of the holes for start, undo and confirm: 12, 16 and 24 are usual
button_gap = 32;        // from the middle of one button to the next
button_deep = 32;       // room below the top for the buttons with their plugs
status_hole = 8.2;      // the three-coloured LED in its clip; without a clip 5.2
buzzer_wide = 14;       // diameter of the buzzer behind the grille
gland_hole = 12.5;      // cable gland PG7
wall = 3;
screw = 3;
screw_pilot = 2.6;
clearance = 0.3;

$fn = 32;

inside = [2 * button_gap + 34, 62];
outside = [inside[0] + 2 * wall, inside[1] + 2 * wall];
high = button_deep + wall;
corner = 6;
lid_thick = 3;
post = screw + 5;
post_at = [inside[0] / 2 - post / 2 + 0.5, inside[1] / 2 - post / 2 + 0.5];

module slab(size, radius, thick) {
    linear_extrude(thick) offset(radius) square([size[0] - 2 * radius, size[1] - 2 * radius], center = true);
}

module at_posts() {
    for (x = [-1, 1], y = [-1, 1]) translate([x * post_at[0], y * post_at[1], 0]) children();
}

module grille() {
    cylinder(d = 2, h = wall + 2);
    for (ring = [1, 2], i = [0 : 6 * ring - 1])
        rotate(i * 60 / ring) translate([ring * buzzer_wide / 5, 0, 0]) cylinder(d = 2, h = wall + 2, $fn = 12);
}

module box() {
    difference() {
        union() {
            difference() {
                slab(outside, corner, high);
                translate([0, 0, wall]) slab(inside, corner - wall, high);
            }
            translate([0, 0, wall - 0.5]) at_posts() cylinder(d = post, h = high - lid_thick - wall + 0.5);
            // a ring holds the buzzer behind its grille
            translate([button_gap / 2, 16, wall - 0.5]) difference() {
                cylinder(d = buzzer_wide + 4, h = 5);
                translate([0, 0, 0.5]) cylinder(d = buzzer_wide + 0.3, h = 6);
            }
        }
        translate([0, 0, high - lid_thick])
            slab([inside[0] + wall, inside[1] + wall], corner - wall / 2, lid_thick + 1);
        translate([0, 0, high - lid_thick - 16]) at_posts() cylinder(d = screw_pilot, h = 20);
        for (i = [-1, 0, 1]) translate([i * button_gap, -10, -1]) cylinder(d = button_hole, h = wall + 2);
        translate([-button_gap / 2, 16, -1]) cylinder(d = status_hole, h = wall + 2);
        translate([button_gap / 2, 16, -1]) grille();
        translate([0, inside[1] / 2 - 1, high * 0.55]) rotate([-90, 0, 0]) cylinder(d = gland_hole, h = wall + 2);
    }
}

module lid() {
    difference() {
        slab([inside[0] + wall - 2 * clearance, inside[1] + wall - 2 * clearance], corner - wall / 2, lid_thick);
        translate([0, 0, -1]) at_posts() cylinder(d = screw + 0.4, h = lid_thick + 2);
        translate([0, 0, lid_thick - 1.6]) at_posts() cylinder(d1 = screw + 0.4, d2 = 2 * screw + 0.4, h = 1.7);
    }
}

if (part == "lid") lid(); else box();

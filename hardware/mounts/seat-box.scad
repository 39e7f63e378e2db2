// A seat's button box: one large button and one LED on top, a cable gland at the back, a lid below with four screws.
// The big one is for buttons of 45 to 60 mm and for arcade switches. Print a box standing on its top, so without
// supports; print a lid as it lies. 0.2 mm layers, three walls: it is going to be slapped.

part = "box";           // "box", "lid", "big_box" or "big_lid"

big = part == "big_box" || part == "big_lid";
button_hole = big ? 28 : 30;    // diameter of the hole for the button: 24, 28 or 30 are usual; measure yours
button_wide = big ? 60 : 34;    // diameter of what lies on the top: the LED's hole stays clear of it
button_deep = big ? 62 : 34;    // room below the top for the button with its plugs
led_hole = 5.2;         // 5 mm LED: 5.2; 3 mm LED: 3.2; in a clip: what the clip wants
gland_hole = 12.5;      // cable gland PG7: 12.5; without a gland: the cable's own diameter
wall = 3;
screw = 3;              // M3 self-tapping, or into melted-in nuts with screw_pilot = 4
screw_pilot = 2.6;
clearance = 0.3;        // between lid and box; less is tighter
rubber_foot = 10;       // diameter of the hollows for stick-on feet

$fn = 32;

led_at = button_wide / 2 + 6;                  // from the button's middle to the LED's
inside = 2 * (led_at + 6);                     // width and depth of the room inside
outside = inside + 2 * wall;
high = button_deep + wall;
corner = 6;
lid_thick = 3;
post = screw + 5;
post_at = inside / 2 - post / 2 + 0.5;

module slab(size, radius, thick) {
    linear_extrude(thick) offset(radius) square(size - 2 * radius, center = true);
}

module at_posts() {
    for (x = [-1, 1], y = [-1, 1]) translate([x * post_at, y * post_at, 0]) children();
}

module box() {
    difference() {
        union() {
            difference() {
                slab(outside, corner, high);
                translate([0, 0, wall]) slab(inside, corner - wall, high);
            }
            translate([0, 0, wall - 0.5]) at_posts() cylinder(d = post, h = high - lid_thick - wall + 0.5);
        }
        // the lid lies in a step of the walls, on the posts
        translate([0, 0, high - lid_thick]) slab(inside + wall, corner - wall / 2, lid_thick + 1);
        translate([0, 0, high - lid_thick - 16]) at_posts() cylinder(d = screw_pilot, h = 20);
        translate([0, 0, -1]) cylinder(d = button_hole, h = wall + 2);
        translate([0, -led_at, -1]) cylinder(d = led_hole, h = wall + 2);
        translate([0, inside / 2 - 1, high * 0.55]) rotate([-90, 0, 0]) cylinder(d = gland_hole, h = wall + 2);
    }
}

module lid() {
    difference() {
        slab(inside + wall - 2 * clearance, corner - wall / 2, lid_thick);
        translate([0, 0, -1]) at_posts() cylinder(d = screw + 0.4, h = lid_thick + 2);
        translate([0, 0, lid_thick - 1.6]) at_posts() cylinder(d1 = screw + 0.4, d2 = 2 * screw + 0.4, h = 1.7);
        for (x = [-1, 1], y = [-1, 1])
            translate([x * (post_at - post - 4), y * (post_at - post - 4), lid_thick - 0.8])
                cylinder(d = rubber_foot, h = 1);
    }
}

if (part == "lid" || part == "big_lid") lid(); else box();

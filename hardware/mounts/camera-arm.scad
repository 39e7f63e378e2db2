// An arm that holds the camera over the table: a clamp at the table's edge, an upright tube, an elbow, a level tube,
// and a plate that carries Camera Module 3 (or 2, or the HQ's small board) or, by its ¼-inch hole, any other camera.
// Tubes of metal or wood, 16 mm: one of 70 cm upright, one of 40 cm level. Print each part as it lies; four walls.

part = "clamp";         // "clamp", "elbow" or "plate"

tube = 16;              // outer diameter of the tubes
tube_play = 0.4;
table_thick = 40;       // the thickest table top that the clamp takes
wall = 5;
bolt = 6;               // M6 bolt of 50 mm with a nut, through the clamp's lower jaw, presses against the table
bolt_nut = 10;          // across the flats
grub = 4;               // M4 screw that holds a tube; its nut slides into the slot
grub_nut = 7;

board_holes = [21, 12.5];   // Camera Module 2 and 3: between the holes, for M2 screws
board_pilot = 1.8;
board_post = 6;             // keeps the connector on the board's back off the plate
tripod = 6.6;               // ¼ inch
tripod_nut = 11.3;          // across the flats

$fn = 32;

socket = tube + tube_play + 2 * wall;
socket_deep = 45;

module hexagon(flats, thick) { cylinder(d = flats / cos(30), h = thick, $fn = 6); }

// A tube's socket along z, open at the top, with a screw from +x and a slot for its nut.
module tube_socket() {
    difference() {
        translate([-socket / 2, -socket / 2, 0]) cube([socket + 3, socket, socket_deep]);
        translate([0, 0, wall]) cylinder(d = tube + tube_play, h = socket_deep);
        translate([0, 0, socket_deep / 2 + 2]) rotate([0, 90, 0]) cylinder(d = grub + 0.4, h = socket);
        translate([tube / 2 + 2.2, -(grub_nut + 0.3) / 2, socket_deep / 2 + 2 - (grub_nut + 0.3) / 2])
            cube([3.4, grub_nut + 0.3, socket_deep]);
    }
}

module clamp() {
    jaw = 62;
    wide = socket;
    back = 12;
    high = table_thick + 34;
    difference() {
        union() {
            rotate([90, 0, 0]) linear_extrude(wide, center = true) difference() {
                offset(2) offset(-2) polygon([
                    [0, 0], [jaw, 0], [jaw, 14], [back, 20], [back, 20 + table_thick],
                    [jaw, 20 + table_thick], [jaw, high], [0, high],
                ]);
            }
            translate([socket / 2, 0, high - 0.5]) tube_socket();
        }
        // the bolt from below, its nut in the jaw
        translate([jaw - 16, 0, -1]) cylinder(d = bolt + 0.4, h = 40);
        translate([jaw - 16, 0, 9]) hexagon(bolt_nut + 0.3, 20);
    }
}

// The upright tube comes from below, the level one from +x.
module elbow() {
    mirror([0, 0, 1]) tube_socket();
    translate([-socket / 2, 0, socket / 2 - 0.5]) rotate([0, 90, 0]) rotate([0, 0, 180]) tube_socket();
}

module plate() {
    wide = 46;
    thick = 6;
    difference() {
        union() {
            linear_extrude(thick) offset(4) offset(-4) square([wide, 64], center = true);
            for (x = [-0.5, 0.5], y = [-0.5, 0.5])
                translate([x * board_holes[0], 14 + y * board_holes[1], thick - 0.5])
                    cylinder(d = 5, h = board_post + 0.5);
        }
        for (x = [-0.5, 0.5], y = [-0.5, 0.5])
            translate([x * board_holes[0], 14 + y * board_holes[1], 1]) cylinder(d = board_pilot, h = 20);
        // the camera's cable goes through here, some 5 mm beyond the board's lower edge
        translate([-9, 14 - board_holes[1] / 2 - 15.5, -1]) cube([18, 3, thick + 2]);
        // ¼ inch: a tripod's head, or another camera's screw
        translate([0, -18, -1]) cylinder(d = tripod, h = thick + 2);
        translate([0, -18, thick - 3.4]) hexagon(tripod_nut, 4);
        // two cable ties hold the plate under the level tube
        for (y = [-28, -8], x = [-1, 1]) translate([x * 14 - 1.5, y - 2.5, -1]) cube([3, 5, thick + 2]);
    }
}

// Clamp and elbow are printed on their side: the layers then run along the arm and not across it.
if (part == "plate") plate();
else translate([0, 0, socket / 2]) rotate([90, 0, 0]) if (part == "elbow") elbow(); else clamp();

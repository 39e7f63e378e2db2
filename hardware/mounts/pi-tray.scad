// A tray for the Pi: four posts, open sides for every plug. With a camera it is tied under the arm's level tube, beside
// the elbow, by a cable tie at each end, so that the ribbon reaches; without one it is screwed under the table.
// The same holes carry a Pi 3, 4 and 5; "zero" is for the Zero 2.

part = "full";          // "full" or "zero"

post_high = 6;          // room below the board; more for a heat sink on its back
post_wide = 6;
pilot = 2.1;            // M2.5 self-tapping; 3.4 for melted-in nuts
thick = 3;
margin = 9;             // between the board and the tray's edge
ear = 12;               // ears with screw holes at both ends
tube = 16;              // of the camera's arm: the ties' slots lie on both sides of it
ear_screw = 4;

$fn = 32;

board = part == "zero" ? [65, 30] : [85, 56];
holes = part == "zero" ? [58, 23] : [58, 49];
first_hole = [3.5, 3.5];   // from the board's corner beside the SD card

size = [board[0] + 2 * margin, board[1] + 2 * margin];

difference() {
    union() {
        linear_extrude(thick) offset(4) offset(-4) square(size);
        translate([-ear, size[1] / 2 - tube / 2 - 7, 0]) cube([size[0] + 2 * ear, tube + 14, thick]);
        for (x = [0, holes[0]], y = [0, holes[1]])
            translate([margin + first_hole[0] + x, margin + first_hole[1] + y, thick - 0.5])
                cylinder(d = post_wide, h = post_high + 0.5);
    }
    for (x = [0, holes[0]], y = [0, holes[1]])
        translate([margin + first_hole[0] + x, margin + first_hole[1] + y, 1]) cylinder(d = pilot, h = 30);
    for (x = [-ear / 2, size[0] + ear / 2])
        translate([x, size[1] / 2, -1]) cylinder(d = ear_screw + 0.5, h = thick + 2);
    for (x = [-ear / 2, size[0] + ear / 2], side = [-1, 1])
        translate([x - 2.5, size[1] / 2 + side * (tube / 2 + 2.5) - 1.25, -1]) cube([5, 2.5, thick + 2]);
    // air from below, and less to print
    translate([margin + 14, margin + 9, -1]) cube([board[0] - 35, board[1] - 18, thick + 2]);
    // cable ties keep the wires of the seats from pulling at the header
    for (x = [size[0] * 0.3, size[0] * 0.7], y = [2.5, size[1] - 5]) translate([x, y, -1]) cube([5, 2.5, thick + 2]);
}

// Names that leave their box without dots, leave the page, or lie on other words. Evaluated by test_worlds_names.py.
(names) => {
    const found = [];
    const all = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        const owner = text.parentElement;
        if (!text.data.trim() || !owner.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (owner.closest("title, option, select, .unseen, [data-scrolls], .seats-nav, script, style")) continue;
        let clipped = owner; // such words are for screen readers alone
        while (clipped && getComputedStyle(clipped).clipPath === "none") clipped = clipped.parentElement;
        if (clipped) continue;
        let layer = owner; // what is fixed may lie above what scrolls
        while (layer !== document.body && !["fixed", "sticky"].includes(getComputedStyle(layer).position)) layer = layer.parentElement;
        const name = names.some(one => text.data.includes(one.slice(0, 8)));
        const letters = document.createRange();
        letters.selectNodeContents(text);
        for (const box of letters.getClientRects()) {
            if (box.width < 2 || box.height < 2) continue;
            const shown = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
            const words = `${owner.tagName}.${owner.className} ${text.data.trim().slice(0, 20)}`;
            let dots = false;
            for (let up = owner; up && up !== document.body; up = up.parentElement) {
                const look = getComputedStyle(up);
                if (look.overflowX === "visible" || look.display === "inline") continue;
                const outer = up.getBoundingClientRect();
                if (outer.width < 2) { shown.right = shown.left; break; }
                dots ||= look.textOverflow === "ellipsis" || look.webkitLineClamp !== "none";
                const whole = shown.right <= outer.right + 2 && shown.left >= outer.left - 2;
                if (name && !whole && !dots) found.push(`cut: ${words}`);
                shown.left = Math.max(shown.left, outer.left);
                shown.right = Math.min(shown.right, outer.right);
                shown.top = Math.max(shown.top, outer.top);
                shown.bottom = Math.min(shown.bottom, outer.bottom);
            }
            if (shown.right - shown.left < 2 || shown.bottom - shown.top < 2) continue;
            if (name && (shown.right > innerWidth + 1 || shown.left < -1)) found.push(`leaves the page: ${words}`);
            all.push({ ...shown, text, name, layer, words });
        }
    }
    for (const one of all) if (one.name) for (const other of all) {
        if (other.text === one.text || other.layer !== one.layer) continue;
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        // lines set close share the room above and below their letters
        if (across > 3 && down > 0.4 * Math.min(one.bottom - one.top, other.bottom - other.top)) found.push(`${one.words} lies on ${other.words}`);
    }
    return [...new Set(found)];
}

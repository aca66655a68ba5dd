// Checks of the explanation page and the playground that need a browser: computed colours, keyboard focus, links.
// Run inside the page by browser_test.py, and inside pages of the site by docs/site_test.py; each problem is a line.
"use strict";
const problems = [];
const explains = document.querySelector("#expression") !== null;  // else it is the playground's form alone

function parts(colour) {
    const numbers = colour.match(/[\d.]+/g).map(Number);
    return { rgb: numbers.slice(0, 3), opaque: numbers.length < 4 || numbers[3] > 0 };
}

// WCAG 2.2, relative luminance and contrast ratio.
function luminance(rgb) {
    const linear = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

// The colour behind an element: in a picture, of the last box before it that holds its middle.
function behind(element) {
    const svg = element.closest("svg");
    if (svg) {
        const own = element.getBoundingClientRect(), x = own.x + own.width / 2, y = own.y + own.height / 2;
        let found = null;
        for (const box of svg.querySelectorAll("rect")) {
            const r = box.getBoundingClientRect();
            const holds = r.left <= x && x <= r.right && r.top <= y && y <= r.bottom;
            const comes_before = box.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
            if (holds && comes_before) found = getComputedStyle(box).fill;
        }
        if (found) return parts(found).rgb;
    }
    for (let e = element; e; e = e.parentElement) {
        const colour = parts(getComputedStyle(e).backgroundColor);
        if (colour.opaque) return colour.rgb;
    }
    return [255, 255, 255];
}

function check_contrast() {
    const seen = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement, text = texts.currentNode.textContent.trim();
        if (!text || seen.has(element) || element.closest("script, style, title") || !element.checkVisibility()) continue;
        seen.add(element);
        const style = getComputedStyle(element), size = parseFloat(style.fontSize);
        const colour = element.closest("svg") ? style.fill : style.color;
        const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
        const ratio = contrast(parts(colour).rgb, behind(element));
        if (ratio < (large ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)} of "${text.slice(0, 40)}"`);
    }
    if (seen.size < (explains ? 20 : 10)) problems.push(`only ${seen.size} texts were looked at`);
}

function check_keyboard() {
    const reached = document.querySelectorAll("a[href], summary, [tabindex], input, select, button");
    for (const e of [...reached].filter(e => e.checkVisibility())) {
        const label = e.labels && e.labels.length ? e.labels[0].textContent : e.textContent;
        const name = (e.getAttribute("aria-label") || label).trim();
        e.focus({ preventScroll: true });
        const style = getComputedStyle(e);
        if (!name) problems.push(`nameless: ${e.outerHTML.slice(0, 80)}`);
        if (document.activeElement !== e || e.tabIndex < 0) problems.push(`the keyboard does not reach ${name}`);
        if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) problems.push(`no outline: ${name}`);
    }
    for (const e of document.querySelectorAll("*"))
        if (e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX) &&
            e.tabIndex < 0 && !e.querySelector("a[href], [tabindex]"))
            problems.push(`the keyboard cannot scroll ${e.outerHTML.slice(0, 80)}`);
    if (reached.length < (explains ? 10 : 5)) problems.push(`only ${reached.length} links`);
}

function check_links() {
    const lines = document.querySelectorAll("pre.code a");
    for (const line of lines) {
        const value = document.getElementById(line.hash.slice(1));
        const back = value && document.getElementById((value.getAttribute("href") || "").slice(1));
        if (!value || !value.closest("svg") || !back || back.closest("pre") !== line.closest("pre"))
            problems.push(`a line leads nowhere: ${line.textContent}`);
    }
    const unlinked = [...document.querySelectorAll("pre.code")].flatMap(pre => [...pre.childNodes])
        .filter(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
    if (lines.length === 0 || unlinked.length > 0) problems.push(`${unlinked.length} lines without a link`);
    const last = lines[lines.length - 1], before = behind(last);
    location.hash = last.id;
    if (String(behind(last)) === String(before)) problems.push("what a link leads to is not marked");
    location.hash = last.hash;
    const box = document.querySelector(`${last.hash} rect`);
    if (contrast(parts(getComputedStyle(box).fill).rgb, [238, 243, 250]) < 1.05)
        problems.push("the value that a line leads to is not marked");
}

async function report() {
    // A small page runs this before its window has the focus, without which nothing shows it.
    for (let i = 0; i < 200 && !document.hasFocus(); ++i) await new Promise(done => setTimeout(done, 25));
    check_contrast();
    if (!window.text_alone) check_keyboard();
    if (explains) check_links();
    if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is wider than ${innerWidth}`);
    if (window.axe)
        for (const v of (await axe.run()).violations)
            problems.push(`axe: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}`);
    const found = document.createElement("p");
    found.id = "found";
    found.textContent = JSON.stringify(problems);
    document.body.append(found);
}
report();

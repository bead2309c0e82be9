// SPDX-License-Identifier: GPL-2.0-or-later
// node draw_page.js PAGE.html: prints the page as a browser shows it, by running its script on as much of a document as it uses.
"use strict";
const page = require("fs").readFileSync(process.argv[2], "utf8");
const VOID = ["br"], LINES = ["tr", "h3", "h4", "article", "a", "dd", "p", "table", "figure", "summary", "details", "pre"];

function escaped(text) {
	const signs = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};

	return text.replace(/[&<>"']/g, sign => signs[sign]);
}

function written(node) {
	if (typeof node !== "object")
		return escaped(String(node));
	const attributes = node.attributes.map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("");
	const space = node.name === "svg" ? ` xmlns="${node.space}"` : "";

	return `<${node.name}${space}${attributes}>` + (VOID.includes(node.name) ? "" :
		`${node.children.map(written).join("")}</${node.name}>`) + (LINES.includes(node.name) ? "\n" : "");
}

class Part { // of the page, found by its id
	constructor() {
		this.below = [];
		this.behind = [];
		this.firstElementChild = {after: (...nodes) => { this.below = [...nodes, ...this.below]; }};
	}
	append(...nodes) { this.behind.push(...nodes); }
	remove() { this.removed = true; }
	removeAttribute(name) { this.bare = name; }
}

const parts = new Map(), json = page.match(/<script type="application\/json" id="report">([^]*?)<\/script>/)[1];
const document = {
	createElementNS: (space, name) => ({
		space: space, name: name, attributes: [], children: [],
		setAttribute(key, value) { this.attributes.push([key, value]); },
		append(...nodes) {
			for (const node of nodes)
				if (typeof node !== "string" && typeof node !== "object")
					throw new Error(`${name}: ${node} is no node`);
			this.children.push(...nodes);
		},
	}),
	getElementById: id => {
		if (id === "report")
			return {textContent: json};
		if (!page.includes(`id="${id}"`))
			throw new Error(`the page has no ${id}`);
		if (!parts.has(id))
			parts.set(id, new Part());
		return parts.get(id);
	},
};
new Function("document", page.match(/<script>([^]*)<\/script>/)[1])(document);

let drawn = page.replace(/<script[^]*<\/script>\n/, "").replace(/<noscript>[^]*<\/noscript>\n/, "");
for (const [id, part] of parts) {
	if (part.bare)
		drawn = drawn.replace(new RegExp(`(id="${id}") ${part.bare}`), "$1");
	else
		drawn = drawn.replace(new RegExp(`<section id="${id}">(<h2>[^<]*</h2>)([^]*?)</section>\n`), (all, head, rest) =>
			part.removed ? "" : `<section id="${id}">${head}\n${part.below.map(written).join("")}${rest}` +
				`${part.behind.map(written).join("")}</section>\n`);
}
process.stdout.write(drawn);

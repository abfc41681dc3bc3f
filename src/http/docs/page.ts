import { createHash } from 'node:crypto'
import { GUIDES } from './guides.ts'
import { LANGUAGES } from './markdown.ts'

const STYLE = `body{font:16px/1.55 system-ui,sans-serif;color:#1a1d21;background:#fff;margin:0}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem}nav{background:#f3f4f6;padding:.75rem 1rem;display:flex;flex-wrap:wrap}
nav{align-items:center;gap:.5rem 0}nav a{margin-right:1rem;white-space:nowrap}nav input,nav button{font:inherit;padding:.2rem .5rem}nav input{width:11rem}.copy{display:flex;gap:.75rem;justify-content:flex-end;align-items:center}.copy button{font:inherit;padding:.2rem .5rem}a{color:#0b57d0}pre,code{font:13.5px/1.5 ui-monospace,monospace;background:#f3f4f6}
pre{padding:.75rem;overflow-x:auto;border-radius:6px}code{padding:.1em .25em;border-radius:4px;overflow-wrap:anywhere}pre code{padding:0;overflow-wrap:normal}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #d5d9de;padding:.35rem .6rem;text-align:left;vertical-align:top}
.in{position:fixed;top:0;left:0;opacity:0}.languages>p{margin:0 0 -.5rem}.languages label{display:inline-block;padding:.25rem .75rem;border:1px solid transparent;border-radius:6px;cursor:pointer}
.languages pre{display:none}${Object.keys(LANGUAGES)
  .map(
    name =>
      `body:has(#in-${name}:checked) .languages pre.${name}{display:block}body:has(#in-${name}:checked) .languages label[for=in-${name}]{background:#e0ecff;border-color:#0b57d0}body:has(#in-${name}:focus-visible) .languages label[for=in-${name}]{outline:2px solid #0b57d0}`,
  )
  .join('')}`

/** One choice for all samples of a page, which needs no script. */
const CHOICE = Object.entries(LANGUAGES)
  .map(
    ([name, title], index) =>
      `<input class="in" type="radio" name="language" id="in-${name}" aria-label="Samples: ${title}"${index === 0 ? ' checked' : ''}>`,
  )
  .join('')

/** Shown only where a browser lets a page write to the clipboard; the link beside it is always there. */
const COPY = `const button=document.getElementById('copy'),said=document.getElementById('copied')
if(navigator.clipboard&&window.ClipboardItem){button.hidden=false
button.addEventListener('click',()=>{const text=window.fetch(button.dataset.from).then(answer=>answer.ok?answer.blob():Promise.reject()).then(blob=>new Blob([blob],{type:'text/plain'}))
navigator.clipboard.write([new ClipboardItem({'text/plain':text})]).then(()=>{said.textContent='Copied'},()=>{said.textContent='Could not be copied: open the Markdown instead'})})}`

export const PROTECTION = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${createHash('sha256').update(COPY).digest('base64')}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

type Written = { title: string; body: string; query?: string; markdown?: string }

/** `markdown` is the address of the same page as text. */
export function writePage({ title, body, query = '', markdown }: Written): string {
  const alternate =
    markdown === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${markdown}">`
  const copy =
    markdown === undefined
      ? ''
      : `<p class="copy"><span id="copied" role="status"></span><a href="${markdown}">Markdown</a><button id="copy" type="button" data-from="${markdown}" hidden>Copy as Markdown</button></p>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Bursar</title>${alternate}<style>${STYLE}</style></head>
<body><nav><a href="${GUIDES}">Guides</a><a href="/docs/">API reference</a><a href="/openapi.json">OpenAPI document</a><form action="${GUIDES}search" role="search"><input type="search" name="q" maxlength="100" aria-label="Search the guides" value="${query}"> <button>Search</button></form></nav>
<main>
${copy}${body.includes('class="languages"') ? CHOICE : ''}${body}
</main>${copy && `<script>${COPY}</script>`}</body></html>
`
}

import { writeFileSync } from 'node:fs'
import { EVENT_CODES, type EventCode } from '../src/events/define-event.ts'
import { CATALOGUE } from '../src/webhooks/events.docs.ts'

/**
 * Writes docs/erp-developer/events.md from the catalogue: `node tools/events-guide.ts`. A test holds the file against
 * it.
 */
const WIDTH = 150

const INTRODUCTION = `# Events

Every event there is, when it comes and what it carries. This page is written from the event catalogue by
\`node tools/events-guide.ts\`; the reference at \`/docs\` describes every field. [Webhooks](integration.md#webhooks) has how to
receive, verify and book them.

Every delivery and every entry of \`GET …/erp/events\` is this envelope around the payload:

\`\`\`json
{"event_id": "evt_01k9zq4m0ve8sbn6yt2hw3c5da", "event": "pay.payment.debited", "timestamp": 1794717130, "version": "1.0", "sequence": 1042, "payload": {}}
\`\`\`

- \`event_id\` is the same on every retry and redelivery: drop an event whose id you have processed.
- \`sequence\` rises per order, link or page (with their refunds), per plan, per application and otherwise per student. Compare it, do not count: gaps are normal.
- One payment of an order, link or page sends **two** events with the same \`payment.id\`: \`pay.payment.*\` and that of its kind. Subscribe to one of them,
  or book by \`payment.id\`.
- A payload shows the state at that moment and never changes afterwards. Fields without a value are absent.
`

export function eventsGuide(): string {
  const rows = EVENT_CODES.map(
    code => `| [\`${code}\`](#${anchorOf(code)}) | ${CATALOGUE[code].when} | ${partsOf(code)} |`,
  )
  const payloads = EVENT_CODES.map(
    code => `### ${code}\n\n\`\`\`json\n${print(CATALOGUE[code].example, 0)}\n\`\`\`\n`,
  )
  return [
    INTRODUCTION,
    `## All events\n\n| Event | When | Payload |\n|---|---|---|\n${rows.join('\n')}\n`,
    `## Payloads\n\nExamples; \`bursar-cli trigger CODE\` sends one of these to your receiver, dated now and with new ids.\n`,
    ...payloads,
  ].join('\n')
}

/** As GitHub makes it of a heading. */
function anchorOf(code: EventCode): string {
  return code.replaceAll('.', '')
}

/** The names at the top of the payload; one that may be absent with a question mark. */
function partsOf(code: EventCode): string {
  const { properties, required } = CATALOGUE[code].payload.schema as unknown as {
    properties: Record<string, unknown>
    required: string[]
  }
  return Object.keys(properties)
    .map(name => `\`${name}\`${required.includes(name) ? '' : '?'}`)
    .join(', ')
}

/** JSON with as much on a line as fits. */
function print(value: unknown, indent: number): string {
  const flat = flatten(value)
  if (indent + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat
  const parts = Array.isArray(value)
    ? value.map(item => print(item, indent + 2))
    : Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${print(field, indent + 2)}`)
  const lines: string[] = []
  for (const part of parts) {
    const line = lines.at(-1)
    const fits = line !== undefined && !line.includes('\n') && !part.includes('\n')
    if (fits && indent + 4 + line.length + part.length <= WIDTH) lines[lines.length - 1] = `${line}, ${part}`
    else lines.push(part)
  }
  const margin = ' '.repeat(indent + 2)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${margin}${lines.join(`,\n${margin}`)}\n${' '.repeat(indent)}${close}`
}

function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${flatten(field)}`)
  return `{${fields.join(', ')}}`
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/erp-developer/events.md', import.meta.url), eventsGuide())
}

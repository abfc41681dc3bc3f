import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { PlanAnswer } from '../../../../../src/console/flex/plan.schemas.ts'
import { Timeline, type TimelineEntry } from '../../../ui/detail.tsx'
import type { Tone } from '../../../ui/status-badge.tsx'
import { formatDaysIn } from '../../../ui/when.tsx'
import { sentence } from '../texts.ts'

type Entry = PlanAnswer['timeline'][number]

const KINDS = [
  { value: 'all', label: 'Everything' },
  { value: 'decision', label: 'Decisions' },
  { value: 'act', label: 'People' },
  { value: 'message', label: 'Messages' },
  { value: 'event', label: 'Events' },
]

const FIRST = 30

export function PlanTimeline({ entries }: { entries: readonly Entry[] }) {
  const [kind, setKind] = useState('all')
  const [shown, setShown] = useState(FIRST)
  const some = entries.filter(entry => kind === 'all' || entry.kind === kind)
  return (
    <>
      <h2 className="section-title">What happened</h2>
      <div className="scrolls">
        <SegmentedControl
          data={KINDS}
          value={kind}
          onChange={value => {
            setKind(value)
            setShown(FIRST)
          }}
          size="xs"
          mb="md"
          aria-label="What to show"
        />
      </div>
      {some.length === 0 ? (
        <p className="faint">Nothing of this kind yet.</p>
      ) : (
        <Timeline entries={some.slice(0, shown).map(toTimeline)} />
      )}
      {some.length > shown && (
        <Button variant="default" size="xs" onClick={() => setShown(shown + 100)}>
          Show more
        </Button>
      )}
    </>
  )
}

const CHANNELS: Record<string, string> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' }

function toTimeline(entry: Entry): TimelineEntry {
  const common = { id: entry.id, at: entry.at, raw: entry }
  switch (entry.kind) {
    case 'message':
      return { ...common, ...messageOf(entry) }
    case 'act':
      return { ...common, title: actTitle(entry), tone: 'plain', by: entry.by, why: entry.why }
    case 'event':
      return { ...common, title: `Event for the ERP: ${entry.what}`, tone: toneOf(entry.what) }
    default:
      return {
        ...common,
        title: decisionTitle(entry),
        tone: toneOf(entry.what),
        why: entry.why && formatDaysIn(entry.why),
      }
  }
}

function actTitle({ what, instalment }: Entry): string {
  const words = sentence(what.replace(/^flex\./, '').replaceAll('.', ' '))
  return instalment === undefined ? words : `Instalment ${instalment}: ${words.replace(/^Instalment /, '')}`
}

const DECISIONS: Record<string, string> = {
  confirmed: 'announced to the family',
  scheduled: 'to be presented',
  settled: 'settled to the bank',
  covered: 'paid otherwise',
  reversed: 'taken back by the bank',
  amount: 'amount changed',
}

function decisionTitle({ what, instalment }: Entry): string {
  const words = DECISIONS[what] ?? what
  return instalment === undefined ? sentence(words) : `Instalment ${instalment}: ${words}`
}

const TONES: [RegExp, Tone][] = [
  [/bounced|reversed|locked|mandate (cancelled|rejected|expired)|mandate\.cancelled/, 'bad'],
  [/debited|settled|active|covered|closed|paid/, 'good'],
  [/skipped|held|presented|waiting|^due$/, 'waiting'],
]

function toneOf(what: string): Tone {
  return TONES.find(([pattern]) => pattern.test(what))?.[1] ?? 'plain'
}

type MessageData = { to: string; subject?: string | null; text: string; status: string }

function messageOf({ what, why, data }: Entry): Pick<TimelineEntry, 'title' | 'tone' | 'why'> {
  const { to, subject, text, status } = data as MessageData
  const channel = CHANNELS[what] ?? what
  const state = { queued: ' (waiting to be sent)', failed: ' (could not be sent)' }[status] ?? ''
  return {
    title: `${channel} to ${to}${state}`,
    tone: status === 'failed' ? 'bad' : 'plain',
    why: (
      <>
        {subject ?? text}
        {status === 'failed' && why !== undefined && <div className="faint">{why}</div>}
      </>
    ),
  }
}

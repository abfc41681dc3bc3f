import { useState } from 'react'
import type { AuditAnswer } from '../../../../src/console/audit/audit.list.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { When } from '../../ui/when.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const CELLS = {
  actor: (row: AuditAnswer) => row.actor.name,
  what: (row: AuditAnswer) => wordsOf(row.what),
  about: (row: AuditAnswer) => <RecordName id={row.about} />,
}

/** "team.member.removed" as a person would say it. */
function wordsOf(what: string): string {
  const words = what.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function AuditPage() {
  const path = useInstitutePath()
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="audit" />
      <AuditTable
        path={`${path}/audit`}
        description="Every change made in the console is listed here: who, when, what and why. Invite a colleague to see the first entry."
      />
    </PageFrame>
  )
}

type AuditTableProps = { path: string; description: string; isBare?: boolean }

export function AuditTable({ path, description, isBare = false }: AuditTableProps) {
  const [open, setOpen] = useState<AuditAnswer | null>(null)
  return (
    <>
      <ListTable<AuditAnswer>
        name="Audit log"
        path={path}
        queryKey="audit"
        cells={CELLS}
        isBare={isBare}
        rowId={row => row.id}
        onOpen={setOpen}
        empty={{ title: 'Nothing yet', description }}
      />
      <SideDialogue
        isOpen={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : wordsOf(open.what)}
      >
        {open !== null && <Entry entry={open} />}
      </SideDialogue>
    </>
  )
}

function Entry({ entry }: { entry: AuditAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'When', value: <When at={entry.at} /> },
          { label: 'Who', value: entry.actor.name },
          { label: 'Record', value: <span className="mono">{entry.about}</span> },
          { label: 'Reason', value: entry.why },
          { label: 'From', value: entry.ip },
          { label: 'Request', value: entry.request_id && <span className="mono">{entry.request_id}</span> },
        ]}
      />
      <Change label="Before" value={entry.before} />
      <Change label="After" value={entry.after} />
      <RawJson value={entry} />
    </>
  )
}

function Change({ label, value }: { label: string; value: unknown }) {
  if (value === undefined) return null
  return (
    <>
      <h3 className="section-title">{label}</h3>
      <pre className="raw-json mono" tabIndex={0} aria-label={label}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </>
  )
}

import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { SchoolAnswer } from '../../../../src/institutes/school/school.schemas.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { Problem } from '../../ui/problem.tsx'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { Summary } from '../../ui/detail.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { asSmallPng } from './logo-picture.ts'
import { BankAccounts, type DraftAccount } from './bank-accounts.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const TEXTS = [
  { key: 'name', label: 'Name', hint: undefined },
  { key: 'address', label: 'Address', hint: 'In one line, as it should stand on receipts.' },
  { key: 'phone', label: 'Phone', hint: 'Where families can ask. It stands in every mail to them.' },
  { key: 'email', label: 'E-mail', hint: 'What families answer to mails from Bursar comes here.' },
  { key: 'pan', label: 'PAN', hint: 'Of the school or its trust; stands on receipts.' },
  { key: 'affiliation', label: 'Affiliation', hint: 'Board and number, such as CBSE 830123.' },
  { key: 'receipt_note', label: 'A line for receipts', hint: 'Such as the name of the trust.' },
  { key: 'color', label: 'Colour', hint: 'Of buttons on payment pages, such as #1d4ed8.' },
] as const
type TextKey = (typeof TEXTS)[number]['key']
type Draft = Record<TextKey, string> & {
  messages_from: number
  messages_until: number
  family_receipt: SchoolAnswer['family_receipt']
  bank_accounts: DraftAccount[]
}

/** What the school says of itself on pages, mails and receipts. */
export function SchoolPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner')
  const school = useQuery({
    queryKey: ['school', path],
    queryFn: ({ signal }) => get<SchoolAnswer>(`${path}/school`, {}, signal),
  })
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="school" />
      {school.isPending && <Loading />}
      {school.isError && <Failed error={school.error} retry={() => void school.refetch()} />}
      {school.isSuccess && mayChange && (
        <Stack gap="xl">
          <Logo known={school.data} />
          <SchoolForm known={school.data} />
        </Stack>
      )}
      {school.isSuccess && !mayChange && <Shown known={school.data} />}
    </PageFrame>
  )
}

function Shown({ known }: { known: SchoolAnswer }) {
  const fields = TEXTS.map(({ key, label }) => ({ label, value: known[key] ?? '–' }))
  return (
    <>
      <Summary fields={fields} />
      <p className="faint">An owner can change it.</p>
    </>
  )
}

function Logo({ known: { logo_tag } }: { known: SchoolAnswer }) {
  const path = useInstitutePath()
  const { code } = useInstitute()
  const input = useRef<HTMLInputElement>(null)
  const upload = useCommand<File>({
    method: 'POST',
    path: `${path}/school/logo`,
    refreshes: ['school', 'audit'],
    onDone: () => notify('The logo is changed.'),
  })
  const remove = useCommand({
    method: 'DELETE',
    path: `${path}/school/logo`,
    body: () => ({}),
    refreshes: ['school', 'audit'],
    onDone: () => notify('The logo is removed.'),
  })
  const [isUnreadable, setUnreadable] = useState(false)
  const choose = async (file: File): Promise<void> => {
    setUnreadable(false)
    try {
      upload.mutate(await asSmallPng(file))
    } catch {
      setUnreadable(true)
    }
  }
  const error = upload.error ?? remove.error
  return (
    <section aria-label="Logo">
      <h2>Logo</h2>
      {logo_tag !== undefined && (
        <p>
          <img src={`/brand/${code}/logo/${logo_tag}`} alt="Logo of the school" height={56} />
        </p>
      )}
      <p className="faint">
        A PNG, a JPEG or another picture that this browser can open. It stands on payment pages, the parents’
        pages and receipts.
      </p>
      <Problem error={error} otherwise={error?.message} />
      {isUnreadable && (
        <p role="alert">
          This file cannot be opened as a picture. Save the picture again, or choose another.
        </p>
      )}
      <Group>
        <input
          ref={input}
          type="file"
          accept="image/*"
          aria-label="Choose a picture"
          hidden
          onChange={event => {
            const file = event.currentTarget.files?.[0]
            if (file !== undefined) void choose(file)
            event.currentTarget.value = ''
          }}
        />
        <Button variant="default" loading={upload.isPending} onClick={() => input.current?.click()}>
          {logo_tag === undefined ? 'Upload a logo' : 'Upload another'}
        </Button>
        {logo_tag !== undefined && (
          <Button variant="subtle" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove the logo
          </Button>
        )}
      </Group>
    </section>
  )
}

const HOURS = Array.from({ length: 12 }, (_, index) => index + 9)
const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

function SchoolForm({ known }: { known: SchoolAnswer }) {
  const path = useInstitutePath()
  const before = draftOf(known)
  const [draft, setDraft] = useState(before)
  const change = useCommand<Draft>({
    method: 'PUT',
    path: `${path}/school`,
    body: withoutEmpty,
    refreshes: ['school', 'audit', 'session'],
    onDone: () => notify('The school’s details are saved.'),
  })
  const isSame = JSON.stringify(before) === JSON.stringify(draft)
  return (
    <form
      className="form"
      aria-label="Details of the school"
      onSubmit={event => {
        event.preventDefault()
        change.mutate(draft)
      }}
    >
      <Stack gap="md">
        {TEXTS.map(({ key, label, hint }) => (
          <TextInput
            key={key}
            label={label}
            description={hint}
            required={key === 'name'}
            maw={520}
            value={draft[key]}
            onChange={event => setDraft({ ...draft, [key]: event.currentTarget.value })}
            error={problemOf(change.error, key)}
          />
        ))}
        <Group align="end">
          <NativeSelect
            label="Reminders leave from"
            value={draft.messages_from}
            onChange={event => setDraft({ ...draft, messages_from: Number(event.currentTarget.value) })}
            data={HOURS.slice(0, -1).map(hour => ({ value: String(hour), label: clock(hour) }))}
          />
          <NativeSelect
            label="until"
            value={draft.messages_until}
            onChange={event => setDraft({ ...draft, messages_until: Number(event.currentTarget.value) })}
            data={HOURS.slice(1).map(hour => ({ value: String(hour), label: clock(hour) }))}
            error={problemOf(change.error, 'messages_until')}
          />
        </Group>
        <NativeSelect
          label="A family that pays for several children at the counter gets"
          maw={520}
          value={draft.family_receipt}
          onChange={event =>
            setDraft({
              ...draft,
              family_receipt: event.currentTarget.value === 'each' ? 'each' : 'together',
            })
          }
          data={[
            { value: 'together', label: 'One paper with a line for each child' },
            { value: 'each', label: 'A receipt for each child' },
          ]}
        />
        <BankAccounts
          accounts={draft.bank_accounts}
          onChange={bank_accounts => setDraft({ ...draft, bank_accounts })}
          error={change.error}
        />
        <Problem error={change.error} otherwise="Not saved: see the fields." />
        <Group>
          <Button type="submit" disabled={isSame} loading={change.isPending}>
            Save the details
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function draftOf(known: SchoolAnswer): Draft {
  const texts = Object.fromEntries(TEXTS.map(({ key }) => [key, known[key] ?? ''])) as Record<TextKey, string>
  const { messages_from, messages_until, family_receipt } = known
  const bank_accounts = known.bank_accounts.map(account => ({ ...account, upi_id: account.upi_id ?? '' }))
  return { ...texts, messages_from, messages_until, family_receipt, bank_accounts }
}

function withoutEmpty({ bank_accounts, ...draft }: Draft): unknown {
  const color = draft.color.trim().toLowerCase()
  return { ...filled({ ...draft, color }), bank_accounts: bank_accounts.map(filled) }
}

function filled(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields)
      .map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value])
      .filter(([, value]) => value !== ''),
  )
}

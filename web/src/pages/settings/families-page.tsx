import { Button, Checkbox, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FamilyPagesAnswer } from '../../../../src/console/settings/school.routes.ts'
import { fileAddress, get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { Summary } from '../../ui/detail.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { CopyButton } from '../../ui/link/copy-button.tsx'
import { QrDialogue } from '../orders/qr-dialogue.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const LANGUAGES: Record<string, string> = {
  '': 'As the browser asks',
  en: 'English',
  hi: 'Hindi',
  kn: 'Kannada',
  ta: 'Tamil',
}

export function useFamilyPages() {
  const path = useInstitutePath()
  return useQuery({
    queryKey: ['family-pages', path],
    queryFn: ({ signal }) => get<FamilyPagesAnswer>(`${path}/family-pages`, {}, signal),
  })
}

/** The pages of families: their language, and whether a code opens them. */
export function FamiliesPage() {
  const mayChange = useMay('owner')
  const pages = useFamilyPages()
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="families" />
      {pages.isPending && <Loading />}
      {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isSuccess && (
        <Stack gap="xl">
          {mayChange ? <PagesForm known={pages.data} /> : <Shown known={pages.data} />}
          {pages.data.sign_in && <Address url={pages.data.url} />}
          {pages.data.poster && <Poster known={pages.data} />}
        </Stack>
      )}
    </PageFrame>
  )
}

function Shown({ known }: { known: FamilyPagesAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Language of pages', value: LANGUAGES[known.language ?? ''] },
          { label: 'Parents may sign in with a code', value: known.sign_in ? 'Yes' : 'No' },
          { label: 'Families pay from your poster', value: known.poster ? 'Yes' : 'No' },
        ]}
      />
      <p className="faint">An owner can change it.</p>
    </>
  )
}

type Draft = { language: string; sign_in: boolean; poster: boolean }

function PagesForm({ known }: { known: FamilyPagesAnswer }) {
  const path = useInstitutePath()
  const { sign_in, poster } = known
  const before: Draft = { language: known.language ?? '', sign_in, poster }
  const [draft, setDraft] = useState(before)
  const change = useCommand<Draft>({
    method: 'PUT',
    path: `${path}/family-pages`,
    body: ({ language, ...rest }) => (language === '' ? rest : { language, ...rest }),
    refreshes: ['family-pages', 'audit'],
    onDone: () => notify('The settings for families are saved.'),
  })
  const isSame =
    before.language === draft.language && before.sign_in === draft.sign_in && before.poster === draft.poster
  return (
    <form
      className="form"
      aria-label="Pages of families"
      onSubmit={event => {
        event.preventDefault()
        change.mutate(draft)
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label="Language of pages"
          description="What families see first. Everybody can choose another language on the page."
          maw={420}
          value={draft.language}
          onChange={event => setDraft({ ...draft, language: event.currentTarget.value })}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        />
        <Checkbox
          label="Parents may sign in with a code"
          description="They enter the phone number or e-mail address that you have for the family and get a code. The holder of that phone sees the fees, so the numbers must be right."
          checked={draft.sign_in}
          onChange={event => setDraft({ ...draft, sign_in: event.currentTarget.checked })}
        />
        <Checkbox
          label="Families pay from your poster"
          description="One QR code for all. Whoever knows the admission number, and the date of birth or the family’s phone number, sees what is due for the child and can pay it. The name is not shown in full, and guessing is limited."
          checked={draft.poster}
          onChange={event => setDraft({ ...draft, poster: event.currentTarget.checked })}
        />
        {change.error !== null && <p role="alert">{change.error.message}</p>}
        <Group>
          <Button type="submit" disabled={isSame} loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Poster({ known }: { known: FamilyPagesAnswer }) {
  const path = useInstitutePath()
  const [language, setLanguage] = useState<string>(known.language ?? 'en')
  return (
    <section aria-label="Poster">
      <h2>Poster</h2>
      <p>Hang it at the gate, in the office and in classrooms, or send it to parents’ groups as it is.</p>
      <p className="mono">{known.poster_url}</p>
      <Group align="end">
        <NativeSelect
          label="Language beside English"
          value={language}
          onChange={event => setLanguage(event.currentTarget.value)}
          data={Object.entries(LANGUAGES).flatMap(([value, label]) =>
            value === '' ? [] : [{ value, label: value === 'en' ? 'English alone' : label }],
          )}
        />
        <Button
          component="a"
          href={fileAddress(`${path}/family-pages/poster?language=${language}`)}
          target="_blank"
        >
          Print the poster (A4)
        </Button>
        <CopyButton text={known.poster_url}>Copy the link</CopyButton>
      </Group>
    </section>
  )
}

function Address({ url }: { url: string }) {
  const path = useInstitutePath()
  const { code } = useInstitute()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section aria-label="Address for families">
      <h2>Address for families</h2>
      <p>
        All families sign in here. Put it on your website and notices; from a student’s page you can send it
        to one family.
      </p>
      <p className="mono">{url}</p>
      <Group>
        <CopyButton text={url}>Copy the link</CopyButton>
        <Button variant="default" onClick={() => setIsOpen(true)}>
          Show the QR code
        </Button>
      </Group>
      {isOpen && (
        <QrDialogue
          path={`${path}/family-pages/qr`}
          url={url}
          name={`qr-${code}`}
          opens="the page where families sign in"
          onClose={() => setIsOpen(false)}
        />
      )}
    </section>
  )
}

import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Textarea } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PageAnswer } from '../../../../../src/payment-pages/page.schemas.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ChoicesFailed } from '../../../ui/choices-failed.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { MomentInput } from '../../../ui/form/day-input.tsx'
import { boundTo, CodeList, Field, type Form, FormProblem } from '../../../ui/form/field.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { MakersOnly } from '../makers-only.tsx'
import { bodyOf, emptyForm, formOf, type PageForm } from './form.ts'
import { PageFields, PageLines } from './form-parts.tsx'
import { usePage } from './detail-page.tsx'
import { useChoices } from '../../../api/choices.ts'

export function NewPagePage() {
  return (
    <MakersOnly title="New payment page">
      <PageEditor initial={emptyForm()} page={null} />
    </MakersOnly>
  )
}

export function EditPagePage() {
  const { page: pageId = '' } = useParams({ strict: false })
  const page = usePage(pageId)
  return (
    <MakersOnly title="Edit payment page">
      {page.isPending && <Loading what="Loading the page" />}
      {page.isError && <Failed error={page.error} retry={() => void page.refetch()} />}
      {page.isSuccess && <PageEditor initial={formOf(page.data)} page={page.data} />}
    </MakersOnly>
  )
}

function PageEditor({ initial, page }: { initial: PageForm; page: PageAnswer | null }) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const { components } = useChoices()
  const [draft, setDraft] = useState(initial)
  const isNew = page === null
  const save = useCommand<PageForm, { page_id: string } | undefined>({
    method: isNew ? 'POST' : 'PATCH',
    path: isNew ? `${path}/payment-pages` : `${path}/payment-pages/${page.page_id}`,
    body: sent => bodyOf(sent, { isNew }),
    refreshes: ['page', 'pages', 'choices'],
    onDone(answer) {
      notify(isNew ? 'The page is there.' : 'The page has been changed.')
      const pageId = answer?.page_id ?? page?.page_id ?? ''
      void navigate({
        to: '/i/$institute/orders/pages/$page',
        params: { institute, page: pageId },
        search: {},
      })
    },
  })
  const form: Form = {
    values: draft.values,
    set: changes => setDraft({ ...draft, values: { ...draft.values, ...changes } }),
    error: save.error,
  }
  return (
    <form
      className="form"
      onSubmit={event => {
        event.preventDefault()
        save.mutate(draft)
      }}
    >
      <ChoicesFailed />
      <Stack gap="lg">
        <Texts form={form} />
        <fieldset>
          <legend>What can be paid</legend>
          <PageLines
            items={draft.lines}
            onChange={lines => setDraft({ ...draft, lines })}
            error={save.error}
          />
        </fieldset>
        <fieldset>
          <legend>What is asked, beyond name, phone and e-mail</legend>
          <PageFields
            items={draft.fields}
            onChange={fields => setDraft({ ...draft, fields })}
            error={save.error}
          />
        </fieldset>
        <Limits form={form} isNew={isNew} />
        {isNew && (
          <Checkbox
            label="Publish it at once"
            checked={draft.isPublished}
            onChange={event => setDraft({ ...draft, isPublished: event.currentTarget.checked })}
          />
        )}
        <CodeList id="components" entries={components} />
        <FormProblem error={save.error} />
        <Group justify="flex-end">
          <LinkButton variant="default" to="/i/$institute/orders/pages" params={{ institute }} search={{}}>
            Cancel
          </LinkButton>
          <Button type="submit" loading={save.isPending}>
            {isNew ? 'Create the page' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Texts({ form }: { form: Form }) {
  return (
    <fieldset>
      <legend>Text of the page</legend>
      <Stack gap="sm">
        <Field form={form} name="title" label="Title" required maxLength={120} />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxLength={2000}
          value={form.values['description'] ?? ''}
          onChange={event => form.set({ description: event.currentTarget.value })}
          error={problemOf(form.error, 'description')}
        />
        <Field form={form} name="success_message" label="What payers read after paying" maxLength={500} />
      </Stack>
    </fieldset>
  )
}

function Limits({ form, isNew }: { form: Form; isNew: boolean }) {
  const { branches } = useChoices()
  const names = branches.map(({ code: value, name: label }) => ({ value, label }))
  return (
    <fieldset>
      <legend>More</legend>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <MomentInput
          label="Closes"
          description="Indian time. Leave empty to keep the page open."
          {...boundTo(form, 'closes_at')}
        />
        <Field
          form={form}
          name="max_payments"
          label="How many can pay"
          description="Leave empty for no limit."
          inputMode="numeric"
        />
        <Field
          form={form}
          name="slug"
          label="Last part of the address"
          description="Leave empty to derive it from the title."
        />
        <Field
          form={form}
          name="callback_url"
          label="Redirect after payment"
          description="An address of yours."
          type="url"
        />
        {isNew && names.length > 1 && (
          <NativeSelect
            label="Branch that is paid"
            required
            value={form.values['collector_code'] ?? ''}
            onChange={event => form.set({ collector_code: event.currentTarget.value })}
            error={problemOf(form.error, 'collector_code')}
            data={[{ value: '', label: 'Choose' }, ...names]}
          />
        )}
      </SimpleGrid>
    </fieldset>
  )
}

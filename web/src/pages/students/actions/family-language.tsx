import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FamilyLanguageAnswer } from '../../../../../src/console/settings/school.routes.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { LanguageSelect } from '../../../ui/form/language-select.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

/** Chooses the language in which the family is written to, whatever it is about. */
export function FamilyLanguageDialogue({ student, onClose }: ActionProps) {
  const path = `${useStudentPath(student.service_student_id)}/family-language`
  const known = useQuery({
    queryKey: ['family-language', path],
    queryFn: ({ signal }) => get<FamilyLanguageAnswer>(path, {}, signal),
  })
  return (
    <Dialogue onClose={onClose} title="Language of messages">
      {known.isPending && <Loading what="the language" />}
      {known.isError && <Failed error={known.error} retry={() => void known.refetch()} />}
      {known.data !== undefined && (
        <Form student={student} known={known.data} path={path} onClose={onClose} />
      )}
    </Dialogue>
  )
}

function Form({
  student,
  known,
  path,
  onClose,
}: ActionProps & { known: FamilyLanguageAnswer; path: string }) {
  const [language, setLanguage] = useState(known.language ?? '')
  const save = useCommand<{ language?: string }>({
    method: 'PUT',
    path,
    refreshes: [...AFTER_CHANGE, 'family-language'],
    onDone() {
      notify('From now on messages leave in this language.')
      onClose()
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate(language === '' ? {} : { language })
      }}
    >
      <p>
        Mails and messages to {student.primary_contact_number} are written in this language. The family can
        choose another one on its page.
      </p>
      <LanguageSelect value={language} onChange={setLanguage} none="The school’s first language" />
      <Problem error={save.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Group>
    </form>
  )
}

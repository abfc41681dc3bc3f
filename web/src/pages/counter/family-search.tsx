import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FoundFamilyAnswer } from '../../../../src/console/counter/family.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { Failed, Loading } from '../../ui/states.tsx'

const SHORTEST = 2

/** A scanner types the receipt's number and presses Enter; a clerk types what the family says. One family alone is opened at once. */
export function FamilySearch({ onFound }: { onFound: (studentId: string) => void }) {
  const path = `${useInstitutePath()}/counter/families`
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  const found = useQuery({
    queryKey: ['counter', path, asked],
    queryFn: async ({ signal }) => {
      const families = await get<FoundFamilyAnswer[]>(path, { q: asked }, signal)
      const [only, ...others] = families
      if (only !== undefined && others.length === 0) onFound(only.service_student_id)
      return families
    },
    enabled: asked !== '',
    gcTime: 0,
  })
  return (
    <>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (typed.trim().length >= SHORTEST) setAsked(typed.trim())
        }}
      >
        <Group align="flex-end" maw={720}>
          <TextInput
            style={{ flexGrow: 1 }}
            label="Family"
            description="Scan a card, or type a receipt, an admission number, a phone or a name."
            autoFocus
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={found.isFetching}>
            Find
          </Button>
        </Group>
      </form>
      {found.isFetching && <Loading what="Looking for the family" />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data?.length === 0 && <p role="status">No family was found by “{asked}”.</p>}
      {found.data !== undefined && found.data.length > 1 && (
        <Stack gap="xs" mt="md" maw={720} align="flex-start">
          <p role="status">Several families fit. Which one is it?</p>
          {found.data.map(family => (
            <Button
              key={family.service_student_id}
              variant="default"
              onClick={() => onFound(family.service_student_id)}
            >
              {family.children.map(sayChild).join(' · ')}
            </Button>
          ))}
        </Stack>
      )}
    </>
  )
}

/** Kabir Rao, ADM-1042, 5 B */
function sayChild({ fullname, identifier, grade, section }: FoundFamilyAnswer['children'][number]): string {
  return `${fullname}, ${identifier}, ${[grade, section].filter(Boolean).join(' ')}`
}

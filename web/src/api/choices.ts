import { useQuery } from '@tanstack/react-query'
import type { ChoicesAnswer } from '../../../src/console/students/students.output.ts'
import { get } from './client.ts'
import { useInstitutePath } from './session.ts'

export type Choices = ChoicesAnswer & { isLoaded: boolean }

const NONE: Choices = {
  branches: [],
  years: [],
  grades: [],
  components: [],
  discounts: [],
  is_strict: false,
  isLoaded: false,
}

/** Branches, years, grades, fees and discounts that forms and filters offer; empty until loaded. They hardly ever change. */
export function useChoices(): Choices {
  const path = `${useInstitutePath()}/choices`
  const { data } = useQuery({
    queryKey: ['choices', path],
    queryFn: ({ signal }) => get<ChoicesAnswer>(path, {}, signal),
    staleTime: 300_000,
  })
  return data === undefined ? NONE : { ...data, isLoaded: true }
}

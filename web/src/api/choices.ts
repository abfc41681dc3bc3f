import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ChoicesAnswer } from '../../../src/console/students/students.output.ts'
import { get } from './client.ts'
import { useInstitute } from './session.ts'

/** What a branch is called, by its code. */
export function useBranchName(): (code: string) => string {
  const { branches } = useChoices()
  return code => branches.find(branch => branch.code === code)?.name ?? code
}

export type Choices = ChoicesAnswer & { isLoaded: boolean; error: Error | null; retry: () => void }

const NONE: ChoicesAnswer = {
  branches: [],
  years: [],
  grades: [],
  sections: [],
  components: [],
  discounts: [],
  is_strict: false,
  gives_account_numbers: false,
}

/** They hardly ever change. */
export function choicesQuery(institute: string) {
  const path = `/institutes/${encodeURIComponent(institute)}/choices`
  return queryOptions({
    queryKey: ['choices', path],
    queryFn: ({ signal }) => get<ChoicesAnswer>(path, {}, signal),
    staleTime: 300_000,
  })
}

/** Branches, years, grades, fees and discounts that forms and filters offer; empty until loaded. */
export function useChoices(): Choices {
  const { data, error, refetch } = useQuery(choicesQuery(useInstitute().code))
  const retry = (): void => void refetch()
  return { ...(data ?? NONE), isLoaded: data !== undefined, error: data === undefined ? error : null, retry }
}

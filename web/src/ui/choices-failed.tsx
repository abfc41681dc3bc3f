import { useChoices } from '../api/choices.ts'
import { Failed } from './states.tsx'

/** Says why a form has nothing to choose from. It stands there from the start: mounted on a failure it would ask again. */
export function ChoicesFailed() {
  const { error, retry } = useChoices()
  return error === null ? null : <Failed error={error} retry={retry} />
}

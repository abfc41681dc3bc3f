import type { BankLineAnswer } from '../../../../../src/banking/statements/bank-line.list.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { notify } from '../../../ui/toasts.tsx'
import { AFTER_DECISION } from './texts.ts'

export type LineProps = { line: BankLineAnswer; onClose: () => void }

/** Decides what a line is, and closes its dialogue. */
export function useDecision<Sent>({ line, onClose }: LineProps, act: string, said: string) {
  return useCommand<Sent>({
    method: 'POST',
    path: `${useInstitutePath()}/bank/lines/${line.id}/${act}`,
    refreshes: AFTER_DECISION,
    onDone() {
      notify(said)
      onClose()
    },
  })
}

import { useInstitute } from '../../api/session.ts'
import { LinkButton } from '../../ui/link/link-button.tsx'

/** Leads to the calendar of a month; `label` says it where the text is a mark alone. */
export function MonthLink({ month, text, label }: { month: string; text: string; label?: string }) {
  const { code: institute } = useInstitute()
  return (
    <LinkButton
      variant="default"
      size="xs"
      aria-label={label}
      to="/i/$institute/flex"
      params={{ institute }}
      search={{ month }}
    >
      {text}
    </LinkButton>
  )
}

import { DayInput } from './day-input.tsx'

/** The day that a page is about. There always is one, so a field that is emptied changes nothing. */
export function DayField({
  label,
  day,
  onChange,
}: {
  label: string
  day: string
  onChange: (day: string) => void
}) {
  return (
    <DayInput
      size="xs"
      label={label}
      value={day}
      onChange={next => {
        if (next !== '') onChange(next)
      }}
    />
  )
}

import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'

/** A day that counts once it is typed whole: a browser tells of the years 0002, 0020 and 0202 on the way to 2026. */
export function DayField({
  label,
  day,
  onChange,
}: {
  label: string
  day: string
  onChange: (day: string) => void
}) {
  const [typed, setTyped] = useState(day)
  useEffect(() => setTyped(day), [day])
  return (
    <TextInput
      type="date"
      size="xs"
      label={label}
      value={typed}
      onChange={event => {
        const next = event.currentTarget.value
        setTyped(next)
        if (next >= '2000') onChange(next)
      }}
    />
  )
}

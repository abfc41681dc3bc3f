import { TextInput } from '@mantine/core'

/** A colleague who has to approve lower fees reads it. */
export function WhyLower({
  value,
  onChange,
  error,
}: {
  value: string
  onChange: (reason: string) => void
  error?: string | undefined
}) {
  return (
    <TextInput
      label="Why some pay less"
      description="Needed where a colleague has to approve it, who reads it."
      maw={480}
      mb="sm"
      maxLength={500}
      value={value}
      error={error}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

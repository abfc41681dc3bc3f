import { NativeSelect } from '@mantine/core'

/** What families read, in its own letters and in English. */
const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'hi', label: 'हिन्दी (Hindi)' },
  { value: 'kn', label: 'ಕನ್ನಡ (Kannada)' },
  { value: 'ta', label: 'தமிழ் (Tamil)' },
]

/** `none` says what an empty choice means. */
export function LanguageSelect(props: {
  value: string
  onChange: (value: string) => void
  none: string
  label?: string
  description?: string
}) {
  return (
    <NativeSelect
      label={props.label ?? 'Language'}
      description={props.description}
      maw={320}
      value={props.value}
      onChange={event => props.onChange(event.currentTarget.value)}
      data={[{ value: '', label: props.none }, ...LANGUAGES]}
    />
  )
}

import { outputOf, type ByFunction, type OutField } from '../../http/wire/output.ts'
import {
  PROFILE_FIELDS,
  PROFILE_KEYS,
  type EventKey,
  type IsRequired,
  type Profile,
  type ProfileKey,
  type ProfileName,
  type ProfileValue,
} from './profile.fields.ts'

/** The profile's fields as answers and events carry them. */
type ProfileField<Key extends ProfileKey, Source> = OutField<
  ProfileValue<Key>,
  IsRequired<Key> extends true ? false : true,
  ByFunction<Source, unknown>
>

function outputFields(keys: readonly ProfileKey[], profileOf: (source: never) => Profile): object {
  const out = outputOf<never>()
  const fields = keys.map(key => {
    const { name, kind, presence, description, example } = PROFILE_FIELDS[key]
    const isRequired = presence === 'required'
    const make = (isRequired ? out : out.optional)[kind === 'flag' || kind === 'day' ? kind : 'text'] as (
      text: string,
      sample: string | boolean,
      read: (source: never) => unknown,
    ) => unknown
    const text = isRequired ? description : `${description} Present only if known.`
    return [name, make(text, example, source => profileOf(source)[key])]
  })
  return Object.fromEntries(fields)
}

/** Fields of a student. */
export const profileOutput = outputFields(PROFILE_KEYS, (profile: Profile) => profile) as {
  [Key in ProfileKey as ProfileName<Key>]: ProfileField<Key, Pick<Profile, Key>>
}

const inEvents = PROFILE_KEYS.filter(key => PROFILE_FIELDS[key].inEvents)

/** Fields of the student that an event is about. */
export const eventProfile = outputFields(inEvents, (source: { student: Profile }) => source.student) as {
  [Key in EventKey as ProfileName<Key>]: ProfileField<Key, { student: Profile }>
}

/**
 * What is known of a student beside its identity, each field once. The domain type, the table's columns, the input of
 * Register Student, PATCH, import and pull, the answers of API and console and the events' block follow from here.
 * CONTRIBUTING.md lists what else a new field touches.
 */
type Definition = {
  /** Name on the wire and of the column. */
  name: string
  kind: 'text' | 'identifier' | 'flag' | 'day' | 'phone' | 'email'
  /** `registration`: Register Student requires it, everything else may leave it out. */
  presence: 'required' | 'registration' | 'optional'
  /** Whether the student block of events carries it. */
  inEvents: boolean
  /** Whether students are listed by it. */
  isFilter?: true
  description: string
  example: string | boolean
}

export const PROFILE_FIELDS = {
  fullname: {
    name: 'fullname',
    kind: 'text',
    presence: 'required',
    inEvents: true,
    description: 'Full name.',
    example: 'Kabir Rao',
  },
  newAdmission: {
    name: 'new_admission',
    kind: 'flag',
    presence: 'required',
    inEvents: false,
    description: 'New admission or not.',
    example: false,
  },
  dateOfBirth: {
    name: 'date_of_birth',
    kind: 'day',
    presence: 'registration',
    inEvents: false,
    description: 'YYYY-MM-DD.',
    example: '2015-06-20',
  },
  contactName: {
    name: 'primary_contact_name',
    kind: 'text',
    presence: 'required',
    inEvents: true,
    description: 'Name of the primary contact.',
    example: 'Asha Rao',
  },
  contactNumber: {
    name: 'primary_contact_number',
    kind: 'phone',
    presence: 'required',
    inEvents: true,
    description: 'Phone of the primary contact.',
    example: '+91 98765 43210',
  },
  contactEmail: {
    name: 'primary_contact_email',
    kind: 'email',
    presence: 'required',
    inEvents: true,
    description: 'E-mail of the primary contact.',
    example: 'asha@example.in',
  },
  customIdentifier: {
    name: 'custom_identifier',
    kind: 'identifier',
    presence: 'optional',
    inEvents: true,
    isFilter: true,
    description: 'A second identifier of your own.',
    example: 'ROLL-17',
  },
  section: {
    name: 'section',
    kind: 'text',
    presence: 'optional',
    inEvents: false,
    isFilter: true,
    description: 'Section of the class.',
    example: 'B',
  },
  category: {
    name: 'category',
    kind: 'text',
    presence: 'optional',
    inEvents: false,
    isFilter: true,
    description: 'Category that a concession by rule may be for.',
    example: 'Staff',
  },
  house: {
    name: 'house',
    kind: 'text',
    presence: 'optional',
    inEvents: true,
    isFilter: true,
    description: 'School house.',
    example: 'Tagore',
  },
} as const satisfies Record<string, Definition>

type Fields = typeof PROFILE_FIELDS
export type ProfileKey = keyof Fields

/** A field's value when it has one. */
export type ProfileValue<Key extends ProfileKey> = Fields[Key]['kind'] extends 'flag' ? boolean : string

export type ProfileName<Key extends ProfileKey> = Fields[Key]['name']

export type IsRequired<Key extends ProfileKey> = Fields[Key]['presence'] extends 'required' ? true : false

export type Profile = {
  [Key in ProfileKey]: ProfileValue<Key> | (IsRequired<Key> extends true ? never : null)
}

export type EventKey = {
  [Key in ProfileKey]: Fields[Key]['inEvents'] extends true ? Key : never
}[ProfileKey]

export type FilterKey = {
  [Key in ProfileKey]: Fields[Key] extends { isFilter: true } ? Key : never
}[ProfileKey]

export const PROFILE_KEYS = Object.keys(PROFILE_FIELDS) as ProfileKey[]
export const FILTER_KEYS = PROFILE_KEYS.filter((key): key is FilterKey => 'isFilter' in PROFILE_FIELDS[key])

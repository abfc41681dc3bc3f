import { Type, type TUnsafe } from 'typebox'
import type { Paise } from '../../platform/money.ts'

/**
 * The vocabulary of the wire: each field kind once, as the schema that documents it, that the reader reads it
 * by (`format`, see formats.ts), and whose static type is what the reader returns.
 */
type Docs = { description: string; examples?: unknown[] }

export const field = {
  text: (docs: Docs, maxLength = 500) => Type.String({ ...docs, minLength: 1, maxLength }),
  identifier: (docs: Docs) => Type.String({ ...docs, minLength: 1, maxLength: 128, 'x-name': true }),
  code: (docs: Docs) => Type.String({ ...docs, minLength: 1, maxLength: 64, 'x-name': true }),
  flag: (docs: Docs) => Type.Boolean(docs),
  oneOf: <const Values extends readonly string[]>(values: Values, docs: Docs) =>
    Type.Unsafe<Values[number]>({ ...docs, type: 'string', enum: values }),
  amount: (docs: Docs) => rupees({ ...docs }),
  positiveAmount: (docs: Docs) => rupees({ ...docs, exclusiveMinimum: 0 }),
  year: (docs: Docs) => Type.Unsafe<number>({ ...docs, type: ['integer', 'string'], format: 'year' }),
  day: (docs: Docs) => formatted<string>('date', docs),
  moment: (docs: Docs) => formatted<Date>('date-time', docs),
  momentOrDay: (docs: Docs) => formatted<Date>('date-or-time', docs),
  rangeStart: (docs: Docs) => formatted<Date>('range-start', docs),
  rangeEnd: (docs: Docs) => formatted<Date>('range-end', docs),
  phone: (docs: Docs) => formatted<string>('phone', docs),
  email: (docs: Docs) => formatted<string>('email', docs),
  emailList: (docs: Docs) => formatted<string>('email-list', docs),
  url: (docs: Docs) => formatted<string>('http-url', { ...docs, maxLength: 2048 }),
  resourceId: (docs: Docs) =>
    formatted<string>('resource-id', {
      ...docs,
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_.-]{1,64}$',
    }),
  registrationId: (docs: Docs) =>
    formatted<string>('registration-id', { ...docs, minLength: 1, maxLength: 128 }),
  wholeNumber: (docs: Docs, [minimum, maximum]: readonly [number, number]) =>
    Type.Integer({ ...docs, minimum, maximum }),
  pageSize: () =>
    Type.Unsafe<number>({
      description: 'How many to answer with.',
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: 50,
      format: 'page-size',
    }),
}

/** What answers are made of; nothing reads these, tests hold every answer against them. */
export const shown = {
  text: (docs: Docs) => Type.String(docs),
  flag: (docs: Docs) => Type.Boolean(docs),
  amount: (docs: Docs) => Type.Number({ ...docs, minimum: 0 }),
  year: (docs: Docs) => Type.Integer(docs),
  day: (docs: Docs) => Type.String({ ...docs, format: 'date' }),
  moment: (docs: Docs) => Type.String({ ...docs, format: 'date-time' }),
  oneOf: <const Values extends readonly string[]>(values: Values, docs: Docs) =>
    Type.Unsafe<Values[number]>({ ...docs, type: 'string', enum: values }),
}

type TextOptions = Docs & { minLength?: number; maxLength?: number; pattern?: string }

function formatted<Value>(format: string, options: TextOptions): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...options, type: 'string', format })
}

function rupees(options: Docs & { exclusiveMinimum?: number }): TUnsafe<Paise> {
  return Type.Unsafe<Paise>({ ...options, type: ['number', 'string'], format: 'rupees' })
}

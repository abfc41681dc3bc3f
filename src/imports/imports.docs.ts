import { Type } from 'typebox'
import type { EndpointDocs } from '../http/openapi/openapi.ts'
import { ImportView, ProblemView } from './imports.schemas.ts'

/** What the reference says of the import operations. */
const EXAMPLE = {
  id: 'imp_01k9zq4m0ve8sbn6yt2hw3c5da',
  kind: 'students',
  mode: 'all',
  dry_run: false,
  state: 'checking',
  progress: 0,
  file: {
    format: 'csv',
    bytes: 48_210,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  rows: { total: 0, good: 0, bad: 0, applied: 0, unchanged: 0 },
  unknown_columns: [],
  created_at: '2026-11-15T04:32:10.000Z',
}

const DONE = {
  ...EXAMPLE,
  state: 'done',
  progress: 100,
  rows: { total: 412, good: 412, bad: 0, applied: 400, unchanged: 12 },
  unknown_columns: ['House'],
  checked_at: '2026-11-15T04:32:11.000Z',
  finished_at: '2026-11-15T04:32:12.000Z',
}

const CHECKED = {
  ...DONE,
  state: 'checked',
  message:
    '2 of 412 rows are bad, so nothing was applied. Correct them and send the file again, or apply the good rows only.',
  rows: { total: 412, good: 410, bad: 2, applied: 0, unchanged: 0 },
  finished_at: undefined,
}

const answer = (description: string, data: object) => ({
  description,
  data: ImportView,
  example: { status: 'success', data },
})

export const createImportDocs: EndpointDocs = {
  operationId: 'createImport',
  tag: 'Students',
  summary: 'Import a file',
  description:
    'Students, fees or payments from CSV (UTF-8) or XLSX; the body is the file itself, at most 50 MB and 200,000 rows, within ' +
    '30 seconds. The answer comes at once; a worker checks the whole file, each bad row with its reason, and then applies all rows ' +
    'or the good ones. The first row names the columns. A row of students does what Register Student does, one of fees what ' +
    'Update Fee does, one of payments what recording a direct payment does; the same file again changes nothing.',
  answers: { 201: answer('The file has arrived.', EXAMPLE) },
}

export const listImportsDocs: EndpointDocs = {
  operationId: 'listImports',
  tag: 'Students',
  summary: 'List imports',
  description: 'Newest first, of the last 90 days.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(ImportView),
      isList: true,
      example: { status: 'success', data: [DONE], has_more: false },
    },
  },
}

export const getImportDocs: EndpointDocs = {
  operationId: 'getImport',
  tag: 'Students',
  summary: 'Get an import',
  description: 'Its state, how far it is, and how many rows are good, bad and applied.',
  errors: [404],
  answers: { 200: answer('The import.', DONE) },
}

export const listProblemsDocs: EndpointDocs = {
  operationId: 'listImportProblems',
  tag: 'Students',
  summary: 'List the problems of an import',
  description:
    'In the order of the file. Every bad row is counted; at most 10 problems a row and 20,000 a file are told in words.',
  errors: [404],
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(ProblemView),
      isList: true,
      example: {
        status: 'success',
        data: [
          { row: 17, column: 'date_of_birth', message: 'must be a real calendar day as YYYY-MM-DD' },
          { row: 230, column: 'primary_contact_email', message: 'is required' },
        ],
        has_more: false,
      },
    },
  },
}

export const applyImportDocs: EndpointDocs = {
  operationId: 'applyImport',
  tag: 'Students',
  summary: 'Apply a checked import',
  description:
    'For one that is checked and waits: after a dry run, or because all rows were asked for and some are bad. Within a week.',
  errors: [404],
  answers: {
    200: answer('It is running.', {
      ...CHECKED,
      mode: 'good',
      state: 'running',
      progress: 0,
      message: undefined,
    }),
  },
  exampleBody: { mode: 'good' },
}

export const cancelImportDocs: EndpointDocs = {
  operationId: 'cancelImport',
  tag: 'Students',
  summary: 'Cancel a checked import',
  description: 'For one that is checked and waits; its rows are forgotten.',
  errors: [404],
  answers: {
    200: answer('It is cancelled.', {
      ...CHECKED,
      state: 'cancelled',
      message: undefined,
      finished_at: '2026-11-15T04:40:00.000Z',
    }),
  },
}

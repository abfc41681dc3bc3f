import { Type } from 'typebox'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { FetchTestView, FetchView } from './pull.schemas.ts'

export const fetchTestDocs: EndpointDocs = {
  operationId: 'testErpFetch',
  tag: 'Students',
  summary: 'Test the fetch-student endpoint',
  description:
    'Calls the fetch-student endpoint of your ERP as the service would, and answers with what was understood or, field by ' +
    'field, what is wrong. Nothing is stored but an entry of the fetch log. Answers when the ERP has, at most 15 seconds ' +
    'after the call began.',
  answers: {
    200: {
      description: 'What came of the call, good or bad.',
      data: FetchTestView,
      example: {
        status: 'success',
        data: {
          outcome: 'unavailable',
          url: 'https://erp.example.in/fetch-student?identifier=ADM-1042',
          duration_ms: 212,
          http_status: 200,
          code: 'wrong_record',
          message: 'The answer of the ERP is wrong: data.student.grade is required.',
          problems: [{ key: 'data.student.grade', message: 'is required' }],
        },
      },
    },
  },
  exampleBody: { identifier: 'ADM-1042', grade: '5' },
}

export const listFetchesDocs: EndpointDocs = {
  operationId: 'listErpFetches',
  tag: 'Students',
  summary: 'List the fetches of a student',
  description:
    'Every time that your ERP was asked for this student, newest first: why, what came of it and what it changed. Kept for ' +
    '500 days.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(FetchView),
      isList: true,
      example: {
        status: 'success',
        data: [
          {
            id: 'fetch_1k092c8gpz8wezh4es8gqprf85',
            reason: 'presentation',
            fetched_at: '2026-11-15T04:32:10.000Z',
            duration_ms: 212,
            outcome: 'found',
            http_status: 200,
            problems: [],
            changes: [{ field: 'fee_components.TUITION_FEE.fee_amount', before: 60000, after: 55000 }],
          },
        ],
        has_more: false,
      },
    },
  },
  errors: [404],
}

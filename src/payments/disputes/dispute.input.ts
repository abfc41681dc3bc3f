import { field, input } from '../../http/wire/input.ts'

export const DISPUTE_ID = 'dsp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const disputeParams = input({
  dispute_id: field.resourceId("The dispute's id.", DISPUTE_ID),
})

import { bodyOf, inPath, inQuery, replies } from './make.ts'

const key = { type: 'integer', minimum: 1 }
const day = { type: 'string', format: 'date' }
const past = { ...day, description: 'It must not be in the future.' }
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const count = { type: 'integer', minimum: 0 }
const seeds = { type: 'integer', minimum: 1, maximum: 1_000_000 }
export const code = { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', maxLength: 40 }
export const accessionId = { type: 'string', pattern: '^ACC-[0-9]{6}$' }
const user = { type: 'string', description: 'The name of a caller.' }
export const statuses = ['drying', 'stored', 'retired'] as const
const label = { ...text(40), description: 'Unique regardless of upper and lower case; 409 otherwise.' }
const notes = { type: ['string', 'null'], minLength: 1, maxLength: 500 }
const fields = {
  species_code: { ...code, description: 'It must exist; 422 otherwise: "No such species".' },
  label,
  collected_on: past,
  origin: text(80),
  notes: { ...notes, default: null },
}
const period = {
  from: day,
  to: { ...day, description: 'After `from`, and at most 60 days after it; 422 otherwise.' },
}
const ids = { type: 'array', minItems: 1, maxItems: 20, uniqueItems: true, items: accessionId }

const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const list = (name: string) => replies('A list', { type: 'array', items: ref(name) })
const takes = (name: string) => ({ requestBody: bodyOf(ref(name)) })
const tagged = (description: string) =>
  replies(description, ref('Accession'), {
    ETag: {
      required: true,
      description:
        'A strong tag of the accession, a different one after each change of any of its properties.',
      schema: { type: 'string' },
    },
  })
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description: '412 when it is not the present tag, also after a test or a withdrawal has changed it.',
  schema: { type: 'string' },
}
const invalid = { 422: 'The request does not fit its schema or a rule of a property' }
const missing = { 404: 'There is none' }
const everywhere = { 400: 'The request can’t be read', 401: 'The token is missing or unknown' }

/** An operation, with the errors that all have and those of its own. */
const operation = (
  operationId: string,
  description: string,
  responses: object,
  errors: object = {},
  more: object = {},
) => ({
  operationId,
  description,
  ...more,
  responses: {
    ...responses,
    ...Object.fromEntries(
      Object.entries({ ...everywhere, ...errors }).map(([status, why]) => [
        status,
        replies(why, ref('Error')),
      ]),
    ),
  },
})
const foreign = { 403: 'The accession is another depositor’s' }
const stale = { 412: 'The accession has another tag' }

/** A bank of seeds, with tests of them, withdrawals and loans of trays, as a hand writes it. */
export const document = {
  openapi: '3.1.0',
  info: { title: 'Seed bank', version: '1' },
  security: [{ token: [] }],
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Error: closed({ error: { type: 'string' } }),
      Species: closed({ code, name: text(80) }),
      AccessionDraft: closed({ ...fields, seeds_received: seeds }, [
        'species_code',
        'collected_on',
        'seeds_received',
        'origin',
      ]),
      AccessionReplacement: closed(fields, ['species_code', 'collected_on', 'origin']),
      AccessionChange: closed(
        {
          label,
          origin: text(80),
          notes: { ...notes, description: '`null` removes the notes.' },
          status: {
            type: 'string',
            enum: statuses,
            description: 'From drying to stored, and from stored to retired; 409 else.',
          },
        },
        [],
      ),
      Accession: closed({
        id: accessionId,
        depositor: user,
        ...fields,
        label: { type: ['string', 'null'] },
        seeds_received: seeds,
        status: { type: 'string', enum: statuses, description: 'It starts as drying.' },
        seeds_available: {
          ...count,
          description: 'Seeds received, less those sown, less those of withdrawals that are not cancelled.',
        },
        viability_percent: {
          type: ['number', 'null'],
          minimum: 0,
          maximum: 100,
          description:
            'The germinated ones of 100 seeds sown, of the test with the latest `tested_on` (of several on one day, the one recorded last); null without a test.',
        },
        bundle_id: { type: ['integer', 'null'], description: 'The bundle that it went into.' },
      }),
      TestDraft: closed({
        tested_on: past,
        seeds_sown: { ...seeds, description: 'They are taken from those available.' },
        seeds_germinated: { ...count, description: 'At most `seeds_sown`; 422 otherwise.' },
      }),
      Test: closed({
        id: key,
        accession_id: accessionId,
        tested_on: day,
        seeds_sown: seeds,
        seeds_germinated: count,
      }),
      WithdrawalDraft: closed({ accession_id: accessionId, seeds, purpose: text(200) }),
      Withdrawal: closed({
        id: key,
        accession_id: accessionId,
        requester: user,
        seeds,
        purpose: text(200),
        status: { type: 'string', enum: ['requested', 'approved', 'cancelled'] },
        fee_cents: {
          type: 'integer',
          description: '35 % of `seeds`, rounded to whole cents, half a cent up.',
        },
      }),
      BundleDraft: closed({ accession_ids: ids }),
      Bundle: closed({ id: key, accession_ids: ids }),
      Tray: closed({ id: key, name: text(40) }),
      LoanDraft: closed(period),
      Loan: closed({ id: key, tray_id: key, from: day, to: day }),
    },
  },
  paths: {
    '/species': {
      get: operation('listSpecies', 'Lists the species.', { 200: list('Species') }),
      post: operation(
        'addSpecies',
        'Adds a species.',
        { 201: replies('Added', ref('Species')) },
        { ...invalid, 409: 'The code is taken' },
        takes('Species'),
      ),
    },
    '/species/{code}': {
      parameters: [inPath('code', code)],
      get: operation('getSpecies', 'Gets a species.', { 200: replies('A species', ref('Species')) }, missing),
      delete: operation(
        'removeSpecies',
        'Removes a species that has no accessions. Its code may be used again. Any caller may do so.',
        { 204: { description: 'Removed' } },
        { ...missing, 409: 'The species has accessions' },
      ),
    },
    '/accessions': {
      get: operation(
        'listAccessions',
        'Lists the accessions in the order of their ids.',
        {
          200: replies(
            'A page',
            { type: 'array', items: ref('Accession') },
            {
              Link: {
                description: 'The pages `next` and `prev`, if any, with the same filters and page size.',
                schema: { type: 'string' },
              },
              'X-Total-Count': {
                required: true,
                description: 'The number of accessions on all pages.',
                schema: count,
              },
            },
          ),
        },
        invalid,
        {
          parameters: [
            inQuery('species_code', code),
            { ...inQuery('collected_from', day), description: 'Collected on this day or later.' },
            { ...inQuery('collected_to', day), description: 'Collected on this day or earlier.' },
            { ...inQuery('q', text(80)), description: 'A text within the origin, regardless of case.' },
            inQuery('page', { ...key, maximum: 1_000_000, default: 1 }),
            inQuery('per_page', { ...key, maximum: 100, default: 20 }),
          ],
        },
      ),
      post: operation(
        'addAccession',
        'Deposits seeds of a species. The caller is their depositor.',
        { 201: replies('Added', ref('Accession')) },
        { ...invalid, 409: 'The label is taken' },
        takes('AccessionDraft'),
      ),
    },
    '/accessions/{accession_id}': {
      parameters: [inPath('accession_id', accessionId)],
      get: operation('getAccession', 'Gets an accession.', { 200: tagged('An accession') }, missing),
      put: operation(
        'replaceAccession',
        'Replaces `species_code`, `label`, `collected_on`, `origin` and `notes`; without `label` or `notes`, these are null. Only the depositor may change it.',
        { 200: tagged('Replaced') },
        { ...invalid, ...missing, ...foreign, ...stale, 409: 'The label is taken' },
        { parameters: [ifMatch], ...takes('AccessionReplacement') },
      ),
      patch: operation(
        'changeAccession',
        'Changes the properties that are given. Only the depositor may change it.',
        { 200: tagged('Changed') },
        {
          ...invalid,
          ...missing,
          ...foreign,
          ...stale,
          409: 'The label is taken, or the status can’t follow',
        },
        { parameters: [ifMatch], ...takes('AccessionChange') },
      ),
    },
    '/accessions/{accession_id}/tests': {
      parameters: [inPath('accession_id', accessionId)],
      get: operation(
        'listTests',
        'Lists the tests of an accession. Any caller may read them.',
        { 200: list('Test') },
        missing,
      ),
      post: operation(
        'addTest',
        'Records a germination test of an accession that is stored. Any caller may do so.',
        { 201: replies('Recorded', ref('Test')) },
        { ...invalid, ...missing, 409: 'The accession is not in store, or has not as many seeds available' },
        takes('TestDraft'),
      ),
    },
    '/withdrawals': {
      get: operation('listWithdrawals', 'Lists the caller’s own withdrawals.', { 200: list('Withdrawal') }),
      post: operation(
        'requestWithdrawal',
        'Requests seeds of an accession that is stored; 422 if there is no such accession. At least 100 seeds must remain available.',
        { 201: replies('Requested', ref('Withdrawal')) },
        { ...invalid, 409: 'The accession is not in store, or fewer than 100 seeds would remain available' },
        takes('WithdrawalDraft'),
      ),
    },
    '/withdrawals/{withdrawal_id}': {
      parameters: [inPath('withdrawal_id', key)],
      get: operation(
        'getWithdrawal',
        'Gets a withdrawal. Its requester and the depositor of the accession see it; for others it is not there.',
        { 200: replies('A withdrawal', ref('Withdrawal')) },
        missing,
      ),
    },
    '/withdrawals/{withdrawal_id}/approve': {
      parameters: [inPath('withdrawal_id', key)],
      post: operation(
        'approveWithdrawal',
        'Makes a requested withdrawal an approved one. Only the depositor of the accession may approve.',
        { 200: replies('Approved', ref('Withdrawal')) },
        { ...missing, ...foreign, 409: 'The withdrawal is not requested' },
      ),
    },
    '/withdrawals/{withdrawal_id}/cancel': {
      parameters: [inPath('withdrawal_id', key)],
      post: operation(
        'cancelWithdrawal',
        'Cancels a withdrawal that is requested or approved: the seeds are available again. Only the requester may cancel.',
        { 200: replies('Cancelled', ref('Withdrawal')) },
        { ...missing, 403: 'The withdrawal is another requester’s', 409: 'It is cancelled already' },
      ),
    },
    '/bundles': {
      get: operation('listBundles', 'Lists the bundles.', { 200: list('Bundle') }),
      post: operation(
        'addBundle',
        'Makes a bundle of accessions; 422 if there is no such accession. Each goes into one bundle at most. If any accession is refused, none is used up.',
        { 201: replies('Added', ref('Bundle')) },
        { ...invalid, 409: 'An accession is in a bundle already' },
        takes('BundleDraft'),
      ),
    },
    '/bundles/{bundle_id}': {
      parameters: [inPath('bundle_id', key)],
      get: operation('getBundle', 'Gets a bundle.', { 200: replies('A bundle', ref('Bundle')) }, missing),
    },
    '/trays': { get: operation('listTrays', 'Lists the three trays.', { 200: list('Tray') }) },
    '/trays/{tray_id}/loans': {
      parameters: [inPath('tray_id', key)],
      get: operation('listLoans', 'Lists the loans of a tray.', { 200: list('Loan') }, missing),
      post: operation(
        'addLoan',
        'Lends a tray. A loan may begin on the day on which another one ends.',
        { 201: replies('Lent', ref('Loan')) },
        { ...invalid, ...missing, 409: 'It overlaps another loan of the tray' },
        takes('LoanDraft'),
      ),
    },
    '/loans/{loan_id}': {
      parameters: [inPath('loan_id', key)],
      get: operation(
        'getLoan',
        'Gets a loan, for any caller.',
        { 200: replies('A loan', ref('Loan')) },
        missing,
      ),
      delete: operation(
        'removeLoan',
        'Removes a loan. Any caller may do so.',
        { 204: { description: 'Removed' } },
        missing,
      ),
    },
  },
}

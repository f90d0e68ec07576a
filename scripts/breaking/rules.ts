import type { Reader, Severity } from './change.ts'

type Verdict = readonly [severity: Severity, why: string]
/** What a change does to clients; by who reads the value, where that decides. */
type Row = Verdict | { readonly request: Verdict; readonly response: Verdict }

const added: Row = {
  request: ['info', 'clients need not send it'],
  response: ['info', 'clients need not read it'],
}
const addedRequired: Row = ['breaking', 'clients of before do not send it']
const demanded: Row = {
  request: ['breaking', 'clients that leave it out are refused'],
  response: ['info', 'clients always find it'],
}
const spared: Row = {
  request: ['info', 'clients may leave it out'],
  response: ['breaking', 'clients that read it may find nothing'],
}
const widened: Row = {
  request: ['info', 'clients of before get along with it'],
  response: ['breaking', 'clients may get what they were told not to expect'],
}
const narrowed: Row = {
  request: ['breaking', 'what clients send may be refused'],
  response: ['info', 'clients of before get along with it'],
}

const rows = {
  // servers
  'server-removed': ['breaking', 'clients that call it get no answer'],
  'server-added': ['info', 'clients need not use it'],
  'server-variable-removed': ['breaking', 'clients that set it call a wrong address'],
  'server-variable-default-changed': ['warning', 'clients that rely on it call another address'],
  'server-variable-value-removed': ['breaking', 'clients that use it get no answer'],
  'server-variable-value-added': ['info', 'clients need not use it'],
  // operations and their lives
  'operation-removed': ['breaking', 'clients that call it fail'],
  'operation-moved': ['breaking', 'clients that call the old path fail'],
  'operation-added': ['info', 'clients need not use it'],
  'operation-id-changed': ['breaking', 'generated clients name their methods after it'],
  'operation-id-changed/first': ['info', 'generated clients name their methods after it'],
  'successor-changed': ['info', 'clients may take another way'],
  'stability-lowered': ['breaking', 'clients relied on the promise that was made'],
  'stability-raised': ['info', 'more is promised than before'],
  deprecated: ['info', 'it works until then'],
  'deprecated/endless': ['info', 'it still works'],
  'deprecation-withdrawn': ['info', 'it stays'],
  'sunset-removed': ['breaking', 'nobody knows how long it works'],
  'sunset-missing': ['breaking', 'nobody knows how long it works'],
  'sunset-earlier': ['breaking', 'clients planned for the time that was promised'],
  'sunset-too-soon': ['breaking', 'clients need time to move'],
  'sunset-later': ['info', 'it works longer'],
  'sunset-added': ['info', 'it works until then'],
  // access
  'security-added': ['breaking', 'clients that were let in are refused'],
  'security-changed': ['breaking', 'clients that were let in are refused'],
  'security-relaxed': ['info', 'more clients are let in'],
  'callback-security-changed': ['breaking', 'clients that check who calls refuse it'],
  'callback-security-raised': ['info', 'clients need not check it'],
  'scope-added': ['breaking', 'keys that may call it now are refused'],
  'scope-changed': ['breaking', 'keys that may call it now are refused'],
  'scope-removed': ['info', 'more keys may call it'],
  'quota-counted': ['breaking', 'clients reach their limits sooner'],
  'quota-free': ['info', 'clients can do more'],
  // what is sent
  'parameter-added': added,
  'request-body-added': added,
  'header-added': added,
  'required-parameter-added': addedRequired,
  'required-request-body-added': addedRequired,
  'required-header-added': addedRequired,
  'parameter-became-required': demanded,
  'request-body-became-required': demanded,
  'header-became-required': demanded,
  'parameter-became-optional': spared,
  'request-body-became-optional': spared,
  'header-became-optional': spared,
  'parameter-form-widened': widened,
  'parameter-form-narrowed': narrowed,
  'type-widened': widened,
  'parameter-moved': {
    request: ['breaking', 'clients send it where it is not read'],
    response: ['breaking', 'clients read it where it is not sent'],
  },
  'parameter-removed': {
    request: ['breaking', 'requests that send it are refused or not understood'],
    response: ['breaking', 'clients that read it find nothing'],
  },
  'parameter-style-changed': ['breaking', 'lists and objects are read otherwise than they are written'],
  'request-body-removed': {
    request: ['breaking', 'what clients send is not read any more'],
    response: ['breaking', 'clients that read it find nothing'],
  },
  'encoding-changed': ['breaking', 'parts are read otherwise than they are written'],
  'media-type-removed': {
    request: ['breaking', 'clients that send it are refused'],
    response: ['breaking', 'clients that read it get something else'],
  },
  'media-type-narrowed': ['info', 'clients get along with it'],
  'media-type-added': {
    request: ['info', 'clients may send it'],
    response: ['breaking', 'clients may get it without having asked for it'],
  },
  'media-type-added/asked': {
    request: ['info', 'clients may send it'],
    response: ['warning', 'clients that ask for no type may get it'],
  },
  // what is answered
  'header-removed': {
    request: ['warning', 'what clients send is not read any more'],
    response: ['breaking', 'clients that read it find nothing'],
  },
  'status-removed': {
    request: ['breaking', 'clients that answer so are not understood'],
    response: ['breaking', 'clients that expect it get another answer'],
  },
  'status-added': {
    request: ['info', 'clients need not answer so'],
    response: ['warning', 'clients that expect another success may not understand it'],
  },
  'status-removed/error': {
    request: ['warning', 'clients that answer so are treated as for any error of its class'],
    response: ['warning', 'clients that act on it wait in vain'],
  },
  'status-added/error': {
    request: ['info', 'clients need not answer so'],
    response: ['info', 'clients treat an unknown error by its class'],
  },
  'code-removed': ['warning', 'clients that act on it wait in vain'],
  'code-added': ['warning', 'clients that do not know it go by the status'],
  'code-named': ['info', 'clients can act on it'],
  // where a reply leads
  'link-removed': ['warning', 'clients that follow it do not know where to go'],
  'link-added': ['info', 'clients need not follow it'],
  'link-target-changed': ['warning', 'clients that follow it do something else'],
  'link-server-changed': ['warning', 'clients that follow it call another address'],
  'link-value-removed': ['warning', 'clients that follow it do not know what to send'],
  'link-value-changed': ['warning', 'clients that follow it send something else'],
  'link-value-added': ['info', 'what the operation needs is judged there'],
  // what comes back
  'callback-removed': ['breaking', 'clients wait for it in vain'],
  'callback-moved': ['breaking', 'clients are called elsewhere, or not at all'],
  'callback-changed': ['warning', 'clients may be called elsewhere'],
  'callback-added': ['info', 'clients that do not give its address do not get it'],
  'callback-added/known': ['warning', 'clients that gave their address for another get it too'],
} satisfies Record<string, Row>

/** The stable name of a rule, in kebab-case, and after a slash the case of it that has a verdict of its own. */
export type Rule = keyof typeof rows

/** What breaks a rule means for clients. */
export function verdictOf(rule: Rule, reader: Reader): Verdict {
  const row: Row = rows[rule]
  return 'request' in row ? row[reader === 'request' ? 'request' : 'response'] : row
}

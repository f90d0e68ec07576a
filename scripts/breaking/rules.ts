import type { Reader, Severity } from './change.ts'

/** What a change does to clients. */
type Verdict = readonly [severity: Severity, why: string]

const verdicts = {
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
  'parameter-added': ['info', 'clients need not read it'],
  'request-body-added': ['info', 'clients need not read it'],
  'header-added': ['info', 'clients need not read it'],
  'required-parameter-added': ['breaking', 'clients of before do not send it'],
  'required-request-body-added': ['breaking', 'clients of before do not send it'],
  'required-header-added': ['breaking', 'clients of before do not send it'],
  'parameter-became-required': ['info', 'clients always find it'],
  'request-body-became-required': ['info', 'clients always find it'],
  'header-became-required': ['info', 'clients always find it'],
  'parameter-became-optional': ['breaking', 'clients that read it may find nothing'],
  'request-body-became-optional': ['breaking', 'clients that read it may find nothing'],
  'header-became-optional': ['breaking', 'clients that read it may find nothing'],
  'parameter-form-widened': ['breaking', 'clients may get what they were told not to expect'],
  'parameter-form-narrowed': ['info', 'clients of before get along with it'],
  'type-widened': ['breaking', 'clients may get what they were told not to expect'],
  'parameter-moved': ['breaking', 'clients read it where it is not sent'],
  'parameter-removed': ['breaking', 'clients that read it find nothing'],
  'parameter-style-changed': ['breaking', 'lists and objects are read otherwise than they are written'],
  'request-body-removed': ['breaking', 'clients that read it find nothing'],
  'encoding-changed': ['breaking', 'parts are read otherwise than they are written'],
  'media-type-removed': ['breaking', 'clients that read it get something else'],
  'media-type-narrowed': ['info', 'clients get along with it'],
  'media-type-added': ['breaking', 'clients may get it without having asked for it'],
  'media-type-added/asked': ['warning', 'clients that ask for no type may get it'],
  // what is answered
  'header-removed': ['breaking', 'clients that read it find nothing'],
  'status-removed': ['breaking', 'clients that expect it get another answer'],
  'status-added': ['warning', 'clients that expect another success may not understand it'],
  'status-removed/error': ['warning', 'clients that act on it wait in vain'],
  'status-added/error': ['info', 'clients treat an unknown error by its class'],
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
  'webhook-removed': ['breaking', 'clients wait for it in vain'],
  'webhook-added': ['info', 'clients that do not ask for it do not get it'],
  // what is promised for the whole
  'lifetime-shorter': ['breaking', 'clients count on what has ended'],
  'lifetime-longer': ['info', 'clients can count on it for longer'],
  'version-bump': ['breaking', 'clients tell by the version what to expect'],
  'version-backwards': ['breaking', 'clients tell by the version what to expect'],
} satisfies Record<string, Verdict>

/** Where the service reads what clients send, and that is another matter. */
const inRequests: Partial<Record<Rule, Verdict>> = {
  'parameter-added': ['info', 'clients need not send it'],
  'request-body-added': ['info', 'clients need not send it'],
  'header-added': ['info', 'clients need not send it'],
  'parameter-became-required': ['breaking', 'clients that leave it out are refused'],
  'request-body-became-required': ['breaking', 'clients that leave it out are refused'],
  'header-became-required': ['breaking', 'clients that leave it out are refused'],
  'parameter-became-optional': ['info', 'clients may leave it out'],
  'request-body-became-optional': ['info', 'clients may leave it out'],
  'header-became-optional': ['info', 'clients may leave it out'],
  'parameter-form-widened': ['info', 'clients of before get along with it'],
  'parameter-form-narrowed': ['breaking', 'what clients send may be refused'],
  'type-widened': ['info', 'clients of before get along with it'],
  'parameter-moved': ['breaking', 'clients send it where it is not read'],
  'parameter-removed': ['breaking', 'requests that send it are refused or not understood'],
  'request-body-removed': ['breaking', 'what clients send is not read any more'],
  'media-type-removed': ['breaking', 'clients that send it are refused'],
  'media-type-added': ['info', 'clients may send it'],
  'media-type-added/asked': ['info', 'clients may send it'],
  'header-removed': ['warning', 'what clients send is not read any more'],
  'status-removed': ['breaking', 'clients that answer so are not understood'],
  'status-added': ['info', 'clients need not answer so'],
  'status-removed/error': ['warning', 'clients that answer so are treated as for any error of its class'],
  'status-added/error': ['info', 'clients need not answer so'],
}

/** The stable name of a rule, in kebab-case, and after a slash the case of it that has a verdict of its own. */
export type Rule = keyof typeof verdicts

/** What breaks a rule means for clients. */
export function verdictOf(rule: Rule, reader: Reader): Verdict {
  return (reader === 'request' && inRequests[rule]) || verdicts[rule]
}

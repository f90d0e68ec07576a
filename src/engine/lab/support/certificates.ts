import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a server's certificate and of the authority that it is from. */
export interface Certificate {
  authority: string
  certificate: string
  key: string
}

/**
 * Makes an authority and a certificate of a server from it, valid for a day.
 * @param names the subjects of the certificate, such as `DNS:localhost`
 * @param owner the user that reads the key
 */
export function makeCertificate(directory: string, name: string, names: string, owner?: number): Certificate {
  const file = (suffix: string) => join(directory, `${name}.${suffix}`)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  openssl(
    'req',
    '-x509',
    ...curve,
    '-subj',
    `/CN=${name} authority`,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  )
  writeFileSync(file('ext'), `subjectAltName=${names}\n`)
  openssl('req', ...curve, '-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('csr'))
  const from = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial']
  openssl(
    'x509',
    '-req',
    '-in',
    file('csr'),
    ...from,
    '-days',
    '1',
    '-extfile',
    file('ext'),
    '-out',
    file('pem'),
  )
  chmodSync(file('key'), 0o600)
  if (owner !== undefined) chownSync(file('key'), owner, -1)
  return { authority: file('ca.pem'), certificate: file('pem'), key: file('key') }
}

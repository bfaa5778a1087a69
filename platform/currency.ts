/** Which texts are currencies: ISO 4217 alphabetic codes, frozen here because the tables of runtimes differ. */

/** List one as of 2026-01-01, without XTS (testing) and XXX (no currency). */
const current = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
  CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
  HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA
  MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD
  RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
  USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR
  ZMW ZWG`;

/** Withdrawn since 1999: purchases of the past are imported in the money they were made in. */
const withdrawn = `
  ANG ATS AZM BEF BGN BYR CUC CYP DEM EEK ESP FIM FRF GHC GRD HRK IEP ITL LTL LUF LVL MRO MTL MZM NLG PTE ROL RUR SDD
  SIT SKK SLL STD TMM TRL VEB VEF ZMK ZWD ZWL ZWR`;

const codes: ReadonlySet<string> = new Set(`${current} ${withdrawn}`.trim().split(/\s+/));

/** True for an ISO 4217 alphabetic code, in upper case as the standard writes it. */
export function isCurrency(code: string): boolean {
  return codes.has(code);
}

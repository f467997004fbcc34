// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which version of the Power ISA an instruction is first in, for those younger than POWER7.
//!
//! LLVM decodes all of them for every cpu. The lists have what binutils 2.40 disassembles for power8 but not for power7, and
//! so on (`crates/predict/tests/all/classes.rs` checks them). Others are by hand:
//!
//! * `paste.` is of 3.0; binutils has the encoding of 3.1 alone.
//! * `lq` and `stq` are older, but programs have them from 2.07 on: before, they are the operating system's.
//! * `lbarx`, `lharx`, `stbcx.` and `sthcx.` are in 2.06, too, but phased in there: a core may lack them. Binutils
//!   refuses them for power7, and GCC and clang use `lwarx` there for atomic bytes, so they count as 2.07. QEMU's POWER7
//!   executes them.
//! * `mffsl` of 3.0 is in no list: its bits are reserved in the `mffs` of older cores, which ignore them.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Instructions of Power ISA 2.07, which POWER8 has first.
const ISA_2_07: &str = "\
    bcdadd. bcdsub. bctar bctarl clrbhrb fmrgew fmrgow hashchk hashchkp hashst hashstp lbarx lharx lq lqarx lxsiwax \
    lxsiwzx lxsspx mfbhrbe mfvsrd mfvsrwz msgclr msgclrp msgsnd msgsndp mtvsrd mtvsrwa mtvsrwz rfebb stbcx. sthcx. \
    stq stqcx. stxsiwx stxsspx tabort. tabortdc. tabortdci. tabortwc. tabortwci. tbegin. tcheck tend. trechkpt. \
    treclaim. tsr. vabsdub vabsduh vabsduw vaddcuq vaddecuq vaddeuqm vaddudm vadduqm vbpermq vcipher vcipherlast \
    vclzb vclzd vclzh vclzw vcmpequd vcmpequd. vcmpgtsd vcmpgtsd. vcmpgtud vcmpgtud. veqv vgbbd vmaxsd vmaxud vminsd \
    vminud vmrgew vmrgow vmulesw vmuleuw vmulosw vmulouw vmuluwm vnand vncipher vncipherlast vorc vpermxor vpksdss \
    vpksdus vpkudum vpkudus vpmsumb vpmsumd vpmsumh vpmsumw vpopcntb vpopcntd vpopcnth vpopcntw vrld vsbox \
    vshasigmad vshasigmaw vsld vsrad vsrd vsubcuq vsubecuq vsubeuqm vsubudm vsubuqm vupkhsw vupklsw xsaddsp \
    xscvdpspn xscvspdpn xscvsxdsp xscvuxdsp xsdivsp xsmaddasp xsmaddmsp xsmsubasp xsmsubmsp xsmulsp xsnmaddasp \
    xsnmaddmsp xsnmsubasp xsnmsubmsp xsresp xsrsp xsrsqrtesp xssqrtsp xssubsp xxleqv xxlnand xxlorc";
/// Of Power ISA 3.0 and 3.0B: POWER9.
const ISA_3_0: &str = "\
    addex addpcis bcdcfn. bcdcfsq. bcdcfz. bcdcpsgn. bcdctn. bcdctsq. bcdctz. bcds. bcdsetsgn. bcdsr. bcdtrunc. \
    bcdus. bcdutrunc. cmpeqb cmprb cnttzd cnttzd. cnttzw cnttzw. copy cpabort darn dtstsfi dtstsfiq extswsli \
    extswsli. ldat lwat lxsd lxsibzx lxsihzx lxssp lxv lxvb16x lxvh8x lxvl lxvll lxvwsx lxvx maddhd maddhdu maddld \
    mcrxrx mffscdrn mffscdrni mffsce mffscrn mffscrni mfvsrld modsd modsw modud moduw msgclru msgsndu msgsync \
    mtvsrdd mtvsrws paste. rfscv scv setb slbiag slbieg slbsync stdat stop stwat stxsd stxsibx stxsihx stxssp stxv \
    stxvb16x stxvh8x stxvl stxvll stxvx urfid vbpermd vclzlsbb vcmpneb vcmpneb. vcmpneh vcmpneh. vcmpnew vcmpnew. \
    vcmpnezb vcmpnezb. vcmpnezh vcmpnezh. vcmpnezw vcmpnezw. vctzb vctzd vctzh vctzlsbb vctzw vextractd vextractub \
    vextractuh vextractuw vextsb2d vextsb2w vextsh2d vextsh2w vextsw2d vextublx vextubrx vextuhlx vextuhrx vextuwlx \
    vextuwrx vinsertb vinsertd vinserth vinsertw vmsumudm vmul10cuq vmul10ecuq vmul10euq vmul10uq vnegd vnegw vpermr \
    vprtybd vprtybq vprtybw vrldmi vrldnm vrlwmi vrlwnm vslv vsrv xsabsqp xsaddqp xsaddqpo xscmpeqdp xscmpexpdp \
    xscmpexpqp xscmpgedp xscmpgtdp xscmpoqp xscmpuqp xscpsgnqp xscvdphp xscvdpqp xscvhpdp xscvqpdp xscvqpdpo \
    xscvqpsdz xscvqpswz xscvqpudz xscvqpuwz xscvsdqp xscvudqp xsdivqp xsdivqpo xsiexpdp xsiexpqp xsmaddqp xsmaddqpo \
    xsmaxcdp xsmaxjdp xsmincdp xsminjdp xsmsubqp xsmsubqpo xsmulqp xsmulqpo xsnabsqp xsnegqp xsnmaddqp xsnmaddqpo \
    xsnmsubqp xsnmsubqpo xsrqpi xsrqpix xsrqpxp xssqrtqp xssqrtqpo xssubqp xssubqpo xststdcdp xststdcqp xststdcsp \
    xsxexpdp xsxexpqp xsxsigdp xsxsigqp xvcvhpsp xvcvsphp xviexpdp xviexpsp xvtstdcdp xvtstdcsp xvxexpdp xvxexpsp \
    xvxsigdp xvxsigsp xxbrd xxbrh xxbrq xxbrw xxextractuw xxinsertw xxperm xxpermr xxspltib";
/// Of Power ISA 3.1: POWER10.
const ISA_3_1: &str = "\
    brd brh brw cfuged cntlzdm cnttzdm dcffixqq dctfixqq lxvkq lxvp lxvpx lxvrbx lxvrdx lxvrhx lxvrwx mtvsrbm \
    mtvsrbmi mtvsrdm mtvsrhm mtvsrqm mtvsrwm paddi pdepd pextd plbz pld plfd plfs plha plhz plq plwa plwz plxsd \
    plxssp plxv plxvp pmxvbf16ger2 pmxvbf16ger2nn pmxvbf16ger2np pmxvbf16ger2pn pmxvbf16ger2pp pmxvf16ger2 \
    pmxvf16ger2nn pmxvf16ger2np pmxvf16ger2pn pmxvf16ger2pp pmxvf32ger pmxvf32gernn pmxvf32gernp pmxvf32gerpn \
    pmxvf32gerpp pmxvf64ger pmxvf64gernn pmxvf64gernp pmxvf64gerpn pmxvf64gerpp pmxvi16ger2 pmxvi16ger2pp \
    pmxvi16ger2s pmxvi16ger2spp pmxvi4ger8 pmxvi4ger8pp pmxvi8ger4 pmxvi8ger4pp pmxvi8ger4spp pnop pstb pstd pstfd \
    pstfs psth pstq pstw pstxsd pstxssp pstxv pstxvp setbc setbcr setnbc setnbcr stxvp stxvpx stxvrbx stxvrdx \
    stxvrhx stxvrwx vcfuged vclrlb vclrrb vclzdm vcmpequq vcmpequq. vcmpgtsq vcmpgtsq. vcmpgtuq vcmpgtuq. vcmpsq \
    vcmpuq vcntmbb vcntmbd vcntmbh vcntmbw vctzdm vdivesd vdivesq vdivesw vdiveud vdiveuq vdiveuw vdivsd vdivsq \
    vdivsw vdivud vdivuq vdivuw vexpandbm vexpanddm vexpandhm vexpandqm vexpandwm vextddvlx vextddvrx vextdubvlx \
    vextdubvrx vextduhvlx vextduhvrx vextduwvlx vextduwvrx vextractbm vextractdm vextracthm vextractqm vextractwm \
    vextsd2q vgnb vinsblx vinsbrx vinsbvlx vinsbvrx vinsd vinsdlx vinsdrx vinshlx vinshrx vinshvlx vinshvrx vinsw \
    vinswlx vinswrx vinswvlx vinswvrx vmodsd vmodsq vmodsw vmodud vmoduq vmoduw vmsumcud vmulesd vmuleud vmulhsd \
    vmulhsw vmulhud vmulhuw vmulld vmulosd vmuloud vpdepd vpextd vrlq vrlqmi vrlqnm vsldbi vslq vsraq vsrdbi vsrq \
    vstribl vstribl. vstribr vstribr. vstrihl vstrihl. vstrihr vstrihr. xscmpeqqp xscmpgeqp xscmpgtqp xscvqpsqz \
    xscvqpuqz xscvsqqp xscvuqqp xsmaxcqp xsmincqp xvbf16ger2 xvbf16ger2nn xvbf16ger2np xvbf16ger2pn xvbf16ger2pp \
    xvcvbf16spn xvcvspbf16 xvf16ger2 xvf16ger2nn xvf16ger2np xvf16ger2pn xvf16ger2pp xvf32ger xvf32gernn xvf32gernp \
    xvf32gerpn xvf32gerpp xvf64ger xvf64gernn xvf64gernp xvf64gerpn xvf64gerpp xvi16ger2 xvi16ger2pp xvi16ger2s \
    xvi16ger2spp xvi4ger8 xvi4ger8pp xvi8ger4 xvi8ger4pp xvi8ger4spp xvtlsbb xxblendvb xxblendvd xxblendvh xxblendvw \
    xxeval xxgenpcvbm xxgenpcvdm xxgenpcvhm xxgenpcvwm xxmfacc xxmtacc xxpermx xxsetaccz xxsplti32dx xxspltidp \
    xxspltiw";

/// The version of the Power ISA that `mnemonic` is first in, if that is 2.07, 3.0 or 3.1.
pub fn power_version(mnemonic: &str) -> Option<&'static str> {
    static VERSIONS: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let versions = VERSIONS.get_or_init(|| {
        let lists = [("2.07", ISA_2_07), ("3.0", ISA_3_0), ("3.1", ISA_3_1)];
        lists
            .into_iter()
            .flat_map(|(version, list)| list.split_whitespace().map(move |m| (m, version)))
            .collect()
    });
    versions.get(mnemonic).copied()
}

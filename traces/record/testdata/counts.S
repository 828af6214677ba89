/* A program without libraries whose every access is known: see TestCounts. */
	.globl _start
	.text
_start:
	lea data(%rip), %rsi
	mov $1000, %ecx
1:	mov (%rsi), %rax
	mov %rax, 8(%rsi)
	lock incq 16(%rsi)
	dec %ecx
	jnz 1b
	.globl middle
	.type middle, @function
middle:
	lea data(%rip), %rsi
	lea 64+data(%rip), %rdi
	mov $10, %ecx
	cld
	rep movsb
	movups data(%rip), %xmm0
	xchg %eax, 24+data(%rip)
	mov 60+data(%rip), %rax
	jmp mark
mark:	.byte 0x0f, 0x1f, 0x80, 0x02, 0x00, 0xa7, 0x0c
	mov $231, %eax
	mov $7, %edi
	syscall
	.data
	.balign 4096
data:	.skip 4096
